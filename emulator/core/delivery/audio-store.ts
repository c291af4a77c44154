import { LIMITS } from "../../../src/contract/service.js";
import type { AudioFormat } from "../../audio/formats/formats.js";
import type { Pcm } from "../../audio/pcm.js";
import type { StoredClip } from "../task.js";
import { type Clips, makeAudio } from "./compose.js";
import { Kept } from "./kept.js";
import { SONGS, type Songs } from "./songs.js";

/** Audio that is kept at most, in bytes; the rest is made again when it is asked for. */
const KEPT_BYTES = 64 * 2 ** 20;

/** The same of the parts that long songs are joined from. */
const KEPT_PART_BYTES = 32 * 2 ** 20;

/** Whose copy of a clip is asked for. */
export type Copy = "service" | "provider";

/** The files of the service and of the providers. They follow from the state, and are no part of it. */
export class AudioStore {
  readonly #keptBytes: number;
  readonly #songs: Songs;
  #files: Kept<Uint8Array<ArrayBuffer>>;
  #parts = noParts();

  constructor(keptBytes: number = KEPT_BYTES, songs: Songs = SONGS) {
    this.#keptBytes = keptBytes;
    this.#songs = songs;
    this.#files = this.#noFiles();
  }

  /** The bytes of a copy; `null` where it never was, or its time is over. */
  async read(clips: Clips, clipId: string, copy: Copy, now: number): Promise<AudioFile | null> {
    this.#files.dropGone(now);
    const found = clips.get(clipId);
    if (found === undefined || now >= goneAt(found)) return null;
    const { storable, format: own } = found.task.plan.end;
    if (copy === "service" && !storable) return null;

    const format = copy === "service" ? found.task.format : own;
    const kept = { songs: this.#songs, parts: this.#parts };
    const make = () => makeAudio(clips, found, format, kept);
    const bytes = await this.#files.get(`${clipId}/${format}`, goneAt(found), make);
    return { bytes, format };
  }

  /** Forgets everything, also what is still being made: the same ids may now mean something else. */
  clear(): void {
    this.#files = this.#noFiles();
    this.#parts = noParts();
  }

  #noFiles() {
    return new Kept<Uint8Array<ArrayBuffer>>(this.#keptBytes, (bytes) => bytes.byteLength);
  }
}

function noParts() {
  return new Kept<Pcm>(KEPT_PART_BYTES, ({ left, right }) => left.byteLength + right.byteLength);
}

export interface AudioFile {
  bytes: Uint8Array<ArrayBuffer>;
  format: AudioFormat;
}

/**
 * The seven days are over to the millisecond, wherever an `audio_url` points (Limits: Audio lifetime): the providers,
 * whose schedule is open, drop their own files at the same time.
 */
function goneAt({ task }: StoredClip): number {
  return task.completedAt + LIMITS.audioLifetimeMs;
}
