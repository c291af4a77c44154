import { LIMITS } from "../../src/contract/limits.js";
import type { AudioFormat } from "../audio/formats/formats.js";
import { plannedSuccess } from "../providers/plan.js";
import type { StoredClip } from "../stored/clip.js";
import { type Clips, makeAudio } from "./compose.js";

/** Audio that is kept at most, in bytes; the rest is made again when it is asked for. */
const KEPT_BYTES = 64 * 2 ** 20;

/** Providers drop their own files on their own schedule, which the interface leaves open: after these days. */
const PROVIDER_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** Whose copy of a clip is asked for. */
export type Copy = "service" | "provider";

interface KeptAudio {
  audio: Promise<Uint8Array<ArrayBuffer>>;
  bytes: number;
  goneAt: number;
}

/** The files of the service and of the providers. They follow from the state, and are no part of it. */
export class AudioStore {
  /** Least recently used first. */
  readonly #kept = new Map<string, KeptAudio>();
  readonly #keptBytes: number;

  constructor(keptBytes = KEPT_BYTES) {
    this.#keptBytes = keptBytes;
  }

  /** The bytes of a copy; `null` where it never was, or its time is over. */
  async read(clips: Clips, clipId: string, copy: Copy, now: number): Promise<AudioFile | null> {
    this.#dropGone(now);
    const found = clips.get(clipId);
    if (found === undefined || now >= goneAt(found, copy)) return null;
    const { storable, format: own } = plannedSuccess(found.task);
    if (copy === "service" && !storable) return null;

    const format = copy === "service" ? found.task.format : own;
    const make = () => makeAudio(clips, found, format);
    const bytes = await this.#keep(`${clipId}/${format}`, goneAt(found, copy), make);
    return { bytes, format };
  }

  clear(): void {
    this.#kept.clear();
  }

  #keep(
    name: string,
    goneAt: number,
    make: () => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const kept = this.#kept.get(name) ?? { audio: make(), bytes: 0, goneAt };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept.audio.then(
      (audio) => {
        kept.bytes = audio.byteLength;
        this.#makeRoom();
        return audio;
      },
      (error: unknown) => {
        this.#kept.delete(name);
        throw error;
      },
    );
  }

  #dropGone(now: number): void {
    for (const [name, { goneAt }] of this.#kept) if (now >= goneAt) this.#kept.delete(name);
  }

  #makeRoom(): void {
    let bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [name, kept] of this.#kept) {
      if (bytes <= this.#keptBytes) return;
      this.#kept.delete(name);
      bytes -= kept.bytes;
    }
  }
}

export interface AudioFile {
  bytes: Uint8Array<ArrayBuffer>;
  format: AudioFormat;
}

/** The seven days are over to the millisecond (Limits: Audio lifetime). */
function goneAt({ task }: StoredClip, copy: Copy): number {
  return task.completedAt + (copy === "service" ? LIMITS.audioLifetimeMs : PROVIDER_LIFETIME_MS);
}
