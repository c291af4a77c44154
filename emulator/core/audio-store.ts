import { LIMITS } from "../../src/contract/service.js";
import type { EncodedFormat } from "../audio/formats.js";
import type { SongRequest } from "../audio/score.js";
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
  bytes: Promise<AudioFile["bytes"]>;
  /** 0 while it is rendered. */
  size: number;
}

/** The least recently used files beyond this total are dropped, and rendered again on the next request. */
const CACHE_BYTES = 64 * 2 ** 20;

/** The emulator's own limit, since the interface has none. A longer joined song loses its beginning. */
const LONGEST_JOINED_SECONDS = 360;

/** The audio of clips: rendered on the first request, and cached by what it is rendered from. */
export class AudioStore {
  readonly #cacheBytes: number;
  /** Least recently used first. */
  readonly #files = new Map<string, CachedFile>();

  constructor(cacheBytes: number = CACHE_BYTES) {
    this.#cacheBytes = cacheBytes;
  }

  async read(clips: StoredClips, clipId: string, site: Site, now: number): Promise<AudioFile | null> {
    const found = clips.get(clipId);
    if (found === undefined) return null;
    // Limits: Audio lifetime. The interface does not say when the providers' files expire: here at the same time.
    const expiresAt = found.task.completedAt + LIMITS.audioLifetimeMs;
    const { storable, format: ownFormat } = found.task.plan.end;
    if (now >= expiresAt || (site === "service" && !storable)) return null;
    const format = site === "service" ? found.task.format : ownFormat;
    return { bytes: await this.#fileOf(recipeOf(clips, found), format), format };
  }

  async #fileOf(recipe: Recipe, format: EncodedFormat): Promise<AudioFile["bytes"]> {
    const key = JSON.stringify([recipe, format]);
    const file = this.#files.get(key) ?? { bytes: makeFile(recipe, format), size: 0 };
    this.#files.delete(key);
    this.#files.set(key, file);
    try {
      const bytes = await file.bytes;
      file.size = bytes.byteLength + 2 * key.length;
      this.#evict();
      return bytes;
    } catch (error) {
      this.#files.delete(key);
      throw error;
    }
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

/** The audio of all emulators of this process: in tests, emulators with one seed make the same songs. */
export const audioStore = new AudioStore();

/** What a file is rendered from: a song, or several that are joined, and how much of each is used; `null`: all of it. */
type Recipe = readonly { readonly song: SongRequest; readonly seconds: number | null }[];

/**
 * The recipe of a clip. A continuation keeps the style of the first clip of its chain, and a joined song consists of the parts of
 * the chain one after the other.
 */
function recipeOf(clips: StoredClips, requested: StoredClip): Recipe {
  const { joins } = parseInput(requested.task);
  const chain = chainOf(clips, joins ?? requested.clip.id);
  const first = chain[0]?.part ?? requested;
  const songOf = (part: StoredClip): SongRequest => {
    const { durationSeconds } = part.clip;
    const continues = part === first ? {} : { continues: songSource(first) };
    return { ...songSource(part), durationSeconds, ...continues };
  };
  if (joins === null) return [{ song: songOf(requested), seconds: null }];
  return lastParts(chain).map(({ part, seconds }) => ({ song: songOf(part), seconds }));
}

async function makeFile(recipe: Recipe, format: EncodedFormat): Promise<AudioFile["bytes"]> {
  const { encode, joinSamples, renderSong, SAMPLE_RATE } = await import("../audio/song.js");
  const pause = () => new Promise<void>(nextTurn);
  const parts: Int16Array[] = [];
  for (const { song, seconds } of recipe) {
    const samples = await renderSong(song, pause);
    parts.push(seconds === null ? samples : samples.subarray(0, Math.round(seconds * SAMPLE_RATE)));
  }
  return encode(joinSamples(parts), format, pause);
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
