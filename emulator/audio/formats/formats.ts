import type { Pcm } from "../pcm.js";
import { encodeWav } from "./wav.js";

export type AudioFormat = keyof typeof AUDIO_FORMATS;

/** What the emulator can make. `provider_a`'s own files are WAV, `provider_b`'s are MP3; either may switch to any. */
export const AUDIO_FORMATS = {
  wav: { contentType: "audio/wav", extension: "wav" },
  mp3: { contentType: "audio/mpeg", extension: "mp3" },
  flac: { contentType: "audio/flac", extension: "flac" },
} as const;

/** The encoders are heavy: each is loaded when the first file of its format is asked for. */
export async function encode(pcm: Pcm, format: AudioFormat): Promise<Uint8Array<ArrayBuffer>> {
  switch (format) {
    case "wav":
      return encodeWav(pcm);
    case "mp3": {
      const { encodeMp3 } = await import("./mp3.js");
      return encodeMp3(pcm);
    }
    case "flac": {
      const { encodeFlac } = await import("./flac.js");
      return encodeFlac(pcm);
    }
    default:
      return format satisfies never;
  }
}
