import { LIMITS } from "../../src/contract/service.js";
import type { EncodedFormat } from "../audio/formats.js";
import { nextTurn } from "../time/event-loop.js";
import { invariant } from "./checks.js";
import { type ClipPosition, parseInput, type StoredClip } from "./task.js";

export type StoredClips = ReadonlyMap<string, StoredClip>;

/** Where a file is served: the service has a copy of each storable clip, the provider its own file. */
export type Site = "service" | "provider";

interface AudioFile {
  bytes: Uint8Array<ArrayBuffer>;
  format: EncodedFormat;
}

interface CachedFile {
  bytes: Promise<Uint8Array<ArrayBuffer>>;
  size: number;
  expiresAt: number;
}

/** The least recently used files beyond this total are dropped, and rendered again on the next request. */
const CACHE_BYTES = 64 * 2 ** 20;

/** The emulator's own limit, since the interface has none. A longer joined song loses its beginning. */
const LONGEST_JOINED_SECONDS = 360;

/** The audio of all clips: rendered on the first request, and cached. It is derived from the state, not part of it. */
export class AudioStore {
  readonly #cacheBytes: number;
  /** Least recently used first. */
  #files = new Map<string, CachedFile>();

  constructor(cacheBytes: number = CACHE_BYTES) {
    this.#cacheBytes = cacheBytes;
  }

  async read(clips: StoredClips, clipId: string, site: Site, now: number): Promise<AudioFile | null> {
    for (const [key, { expiresAt }] of this.#files) if (now >= expiresAt) this.#files.delete(key);
    const found = clips.get(clipId);
    if (found === undefined) return null;
    // Limits: Audio lifetime. The interface does not say when the providers' files expire: here at the same time.
    const expiresAt = found.task.completedAt + LIMITS.audioLifetimeMs;
    const { storable, format: ownFormat } = found.task.plan.end;
    if (now >= expiresAt || (site === "service" && !storable)) return null;

    const format = site === "service" ? found.task.format : ownFormat;
    const key = `${clipId}.${format}`;
    const file = this.#files.get(key) ?? { bytes: makeFile(clips, found, format), size: 0, expiresAt };
    this.#files.delete(key);
    this.#files.set(key, file);
    try {
      const bytes = await file.bytes;
      file.size = bytes.byteLength;
      this.#evict();
      return { bytes, format };
    } catch (error) {
      if (this.#files.get(key) === file) this.#files.delete(key);
      throw error;
    }
  }

  /** Drops all files, including those that are being rendered. Must be called when the state is replaced. */
  clear(): void {
    this.#files = new Map();
  }

  #evict(): void {
    let total = [...this.#files.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, { size }] of this.#files) {
      if (total <= this.#cacheBytes) return;
      this.#files.delete(key);
      total -= size;
    }
  }
}

/**
 * Renders a clip. A continuation keeps the style of the first clip of its chain, and a joined song renders the parts of
 * the chain one after the other.
 */
async function makeFile(
  clips: StoredClips,
  requested: StoredClip,
  format: EncodedFormat,
): Promise<AudioFile["bytes"]> {
  const { encode, joinSamples, renderSong, SAMPLE_RATE } = await import("../audio/song.js");
  const pause = () => new Promise<void>(nextTurn);
  const { joins } = parseInput(requested.task);
  const chain = chainOf(clips, joins ?? requested.clip.id);
  const first = chain[0]?.part ?? requested;
  const render = (part: StoredClip) => {
    const { durationSeconds } = part.clip;
    const continues = part === first ? {} : { continues: songSource(first) };
    return renderSong({ ...songSource(part), durationSeconds, ...continues }, pause);
  };
  if (joins === null) return encode(await render(requested), format, pause);

  const samples: Int16Array[] = [];
  for (const { part, seconds } of lastParts(chain)) {
    samples.push((await render(part)).subarray(0, Math.round(seconds * SAMPLE_RATE)));
  }
  return encode(joinSamples(samples), format, pause);
}

interface ChainPart {
  part: StoredClip;
  /** How much of it plays before the next part begins. */
  seconds: number;
}

/** The clips that a clip continues, from the first one on, and the clip itself. */
function chainOf(clips: StoredClips, lastId: string): ChainPart[] {
  const chain: ChainPart[] = [];
  let position: ClipPosition | null = { clipId: lastId, atSeconds: null };
  while (position !== null) {
    const part = clips.get(position.clipId);
    invariant(part !== undefined, "a continued or joined clip exists");
    const { durationSeconds } = part.clip;
    chain.push({ part, seconds: Math.min(position.atSeconds ?? durationSeconds, durationSeconds) });
    position = parseInput(part.task).continues;
  }
  return chain.reverse();
}

/** The last parts that fit into the limit, without empty ones. */
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
  const { text, lyrics, instrumental } = parseInput(task);
  return { text, lyrics, instrumental, seed: clip.seed };
}
