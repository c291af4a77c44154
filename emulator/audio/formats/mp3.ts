import { registerMp3Encoder } from "@mediabunny/mp3-encoder";
import { Mp3OutputFormat } from "mediabunny";
import type { Pcm } from "../pcm.js";
import { encodeTrack } from "./encode-track.js";

// The encoder's registry is global and complains about a second entry; a module is evaluated once.
registerMp3Encoder();

/** All usual rates take LAME the same time; this one can't be told from the source. */
const BITS_PER_SECOND = 192_000;

/** A constant-bit-rate MP3 with a header that states its length. */
export function encodeMp3(pcm: Pcm): Promise<Uint8Array<ArrayBuffer>> {
  return encodeTrack(pcm, new Mp3OutputFormat(), { codec: "mp3", bitrate: BITS_PER_SECOND });
}
