import { randomStream } from "../time/random.js";

/** The formats of the providers' own files: by default, `provider_a` delivers WAV and `provider_b` MP3. */
export const AUDIO_FORMATS = {
  wav: { contentType: "audio/wav" },
  mp3: { contentType: "audio/mpeg" },
} as const;

export type EncodedFormat = keyof typeof AUDIO_FORMATS;

const SHORTEST_SECONDS = 20;
export const LONGEST_SECONDS = 40;

/** The length of the song with this seed: 20 to 40 s, in tenths. */
export function songDurationSeconds(seed: number): number {
  const tenths = 10 * (LONGEST_SECONDS - SHORTEST_SECONDS) + 1;
  return SHORTEST_SECONDS + Math.floor(tenths * randomStream(seed, "duration")()) / 10;
}
