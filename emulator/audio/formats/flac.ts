import { registerFlacEncoder } from "@mediabunny/flac-encoder";
import { FlacOutputFormat } from "mediabunny";
import type { Pcm } from "../pcm.js";
import { encodeTrack } from "./encode-track.js";

// The encoder's registry is global and complains about a second entry; a module is evaluated once.
registerFlacEncoder();

/** A FLAC file: every sample is kept, in about half the bytes of a WAV. */
export function encodeFlac(pcm: Pcm): Promise<Uint8Array<ArrayBuffer>> {
  return encodeTrack(pcm, new FlacOutputFormat(), { codec: "flac" });
}
