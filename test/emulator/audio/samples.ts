import type { SongRequest } from "../../../emulator/audio/score.js";
import { renderSong } from "../../../emulator/audio/song.js";

export function songOf(request: Partial<SongRequest>): Promise<Int16Array> {
  const plain = { text: "", lyrics: "", seed: 1, durationSeconds: 8, instrumental: false };
  return renderSong({ ...plain, ...request }, async () => {});
}

export function peakOf(samples: ArrayLike<number>): number {
  return Array.from(samples).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 32_768;
}

export function meanOf(samples: Int16Array): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length / 32_768;
}

export function rmsOf(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) / 32_768;
}

/** 1 for the same sound, about 0 for two unrelated ones. */
export function likeness(one: Int16Array, other: Int16Array): number {
  const product = one.reduce((sum, sample, index) => sum + sample * (other[index] ?? 0), 0) / 32_768 ** 2;
  return product / one.length / (rmsOf(one) * rmsOf(other));
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
