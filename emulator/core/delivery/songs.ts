import { Kept } from "./kept.js";

/** What is remembered at most, in bytes. */
const KEPT_BYTES = 64 * 2 ** 20;

/** Songs that were made, by what they were made from. */
export type Songs = Kept<Uint8Array<ArrayBuffer>>;

export function createSongs(keptBytes: number = KEPT_BYTES): Songs {
  return new Kept(keptBytes, (bytes) => bytes.byteLength);
}

/**
 * Those of all emulators of this process. A song follows from its request alone, and a suite whose tests each begin
 * with a new emulator asks for the same few again and again: composing one takes longer than most tests.
 */
export const SONGS: Songs = createSongs();
