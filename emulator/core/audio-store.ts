import { LIMITS } from "../../src/contract/service.js";
import type { AudioFormat } from "../audio/formats.js";
import { nextTurn } from "../time/event-loop.js";
import { invariant } from "./checks.js";
import { type ClipPosition, readBrief, type StoredClip } from "./task.js";

export type Clips = ReadonlyMap<string, StoredClip>;

/** The service's copy of a clip, or the provider's own file. */
export type Copy = "service" | "provider";

interface AudioFile {
  bytes: Uint8Array<ArrayBuffer>;
  format: AudioFormat;
}

interface CachedFile {
  bytes: Promise<Uint8Array<ArrayBuffer>>;
  size: number;
  expiresAt: number;
}

/** Files beyond this total are made again when they are requested again. */
const CACHE_BYTES = 64 * 2 ** 20;

/** The interface sets no limit for a joined song. A longer one loses its beginning. */
const LONGEST_JOINED_SECONDS = 360;

/** The audio of all clips: made on the first request, and cached. It follows from the state and is no part of it. */
export class AudioStore {
  readonly #cacheBytes: number;
  /** Least recently used first. */
  #files = new Map<string, CachedFile>();

  constructor(cacheBytes: number = CACHE_BYTES) {
    this.#cacheBytes = cacheBytes;
  }

  /** A copy of a clip, or null if there is none or it has expired. */
  async read(clips: Clips, clipId: string, copy: Copy, now: number): Promise<AudioFile | null> {
    for (const [name, { expiresAt }] of this.#files) if (now >= expiresAt) this.#files.delete(name);
    const found = clips.get(clipId);
    if (found === undefined) return null;
    // Limits: Audio lifetime. The schedule of the providers is open; here their files expire at the same time.
    const expiresAt = found.task.completedAt + LIMITS.audioLifetimeMs;
    const { storable, format: ownFormat } = found.task.plan.end;
    if (now >= expiresAt || (copy === "service" && !storable)) return null;

    const format = copy === "service" ? found.task.format : ownFormat;
    const name = `${clipId}.${format}`;
    const file = this.#files.get(name) ?? { bytes: makeFile(clips, found, format), size: 0, expiresAt };
    this.#files.delete(name);
    this.#files.set(name, file);
    try {
      const bytes = await file.bytes;
      file.size = bytes.byteLength;
      this.#evict();
      return { bytes, format };
    } catch (error) {
      if (this.#files.get(name) === file) this.#files.delete(name);
      throw error;
    }
  }

  /** Forgets all files, including those that are being made: the same ids may now mean other clips. */
  clear(): void {
    this.#files = new Map();
  }

  #evict(): void {
    let total = [...this.#files.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [name, { size }] of this.#files) {
      if (total <= this.#cacheBytes) return;
      this.#files.delete(name);
      total -= size;
    }
  }
}

/** The audio modules are loaded with the first clip. */
async function makeFile(clips: Clips, made: StoredClip, format: AudioFormat): Promise<AudioFile["bytes"]> {
  const { encode, joinSamples, renderSong, SAMPLE_RATE } = await import("../audio/song.js");
  const pause = () => new Promise<void>(nextTurn);
  const { joins } = readBrief(made.task);
  const chain = chainOf(clips, joins ?? made.clip.id);
  const origin = chain[0]?.part ?? made;
  const render = (part: StoredClip) => {
    const { durationSeconds } = part.clip;
    const continues = part === origin ? {} : { continues: songSource(origin) };
    return renderSong({ ...songSource(part), durationSeconds, ...continues }, pause);
  };
  if (joins === null) return encode(await render(made), format, pause);

  const samples: Int16Array[] = [];
  for (const { part, seconds } of lastParts(chain)) {
    samples.push((await render(part)).subarray(0, Math.round(seconds * SAMPLE_RATE)));
  }
  return encode(joinSamples(samples), format, pause);
}

interface ChainPart {
  part: StoredClip;
  /** How much of it is heard before the next part begins. */
  seconds: number;
}

/** The clips that a clip continues, from the first one on, and the clip itself. */
function chainOf(clips: Clips, lastId: string): ChainPart[] {
  const chain: ChainPart[] = [];
  let position: ClipPosition | null = { clipId: lastId, atSeconds: null };
  while (position !== null) {
    const part = clips.get(position.clipId);
    invariant(part !== undefined, "what is continued or joined exists");
    const { durationSeconds } = part.clip;
    chain.push({ part, seconds: Math.min(position.atSeconds ?? durationSeconds, durationSeconds) });
    position = readBrief(part.task).continues;
  }
  return chain.reverse();
}

/** As many parts from the end as fit, without those of which nothing is heard. */
function lastParts(chain: readonly ChainPart[]): ChainPart[] {
  const parts: ChainPart[] = [];
  let left = LONGEST_JOINED_SECONDS;
  for (const each of chain.toReversed()) {
    left -= each.seconds;
    if (left < 0) break;
    if (each.seconds > 0) parts.unshift(each);
  }
  return parts;
}

function songSource({ task, clip }: StoredClip) {
  const { text, lyrics, instrumental } = readBrief(task);
  return { text, lyrics, instrumental, seed: clip.seed };
}
