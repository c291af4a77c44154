import type { Pcm } from "../pcm.js";
import { encodeMp3 } from "./mp3.js";
import { encodeWav } from "./wav.js";

export type AudioFormat = keyof typeof AUDIO_FORMATS;

/** What the emulator can make. `provider_a`'s own files are WAV, `provider_b`'s are MP3. */
export const AUDIO_FORMATS = {
  wav: { contentType: "audio/wav", extension: "wav" },
  mp3: { contentType: "audio/mpeg", extension: "mp3" },
} as const;

export async function encode(pcm: Pcm, format: AudioFormat): Promise<Uint8Array<ArrayBuffer>> {
  switch (format) {
    case "wav":
      return encodeWav(pcm);
    case "mp3":
      return await encodeMp3(pcm);
    default:
      return format satisfies never;
  }
}
