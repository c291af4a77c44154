import type { Pcm } from "../../../emulator/audio/pcm.js";

/** The loudest sample of both sides, as a share of full scale. */
export function peakOf({ left, right }: Pcm): number {
  let peak = 0;
  for (const channel of [left, right]) for (const sample of channel) peak = Math.max(peak, Math.abs(sample));
  return peak / 32_768;
}

export function meanOf(channel: Int16Array): number {
  let sum = 0;
  for (const sample of channel) sum += sample;
  return sum / channel.length / 32_768;
}

export function rmsOf(channel: Int16Array): number {
  let sum = 0;
  for (const sample of channel) sum += sample * sample;
  return Math.sqrt(sum / channel.length) / 32_768;
}

/** 1 for the same sound, about 0 for two that have nothing to do with each other. */
export function likeness(one: Int16Array, other: Int16Array): number {
  let product = 0;
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    product += ((one[index] ?? 0) / 32_768) * ((other[index] ?? 0) / 32_768);
  }
  return product / one.length / (rmsOf(one) * rmsOf(other));
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
