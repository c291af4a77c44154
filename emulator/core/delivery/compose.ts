import type { AudioFormat } from "../../audio/formats/formats.js";
import type { Pcm } from "../../audio/pcm.js";
import type { SongRequest } from "../../audio/score/write-score.js";
import { nextTurn } from "../../time/event-loop.js";
import { invariant } from "../checks.js";
import type { StoredClip } from "../task.js";
import { type ClipPosition, readBrief } from "../task.js";
import type { Kept } from "./kept.js";
import type { Songs } from "./songs.js";

/** All clips that there are, by their id. */
export type Clips = ReadonlyMap<string, StoredClip>;

/**
 * How long a joined song is at most, which the interface leaves open: of a longer one the beginning is left out. As WAV
 * it still has room among the files that are kept.
 */
const LONGEST_JOINED_SECONDS = 360;

/**
 * A clip in the wanted format. The heavy parts are loaded when the first clip is asked for. A joined song takes its time:
 * between its parts, of which it holds one at a time, everybody else has a turn.
 */
export async function makeAudio(
  clips: Clips,
  made: StoredClip,
  format: AudioFormat,
  { songs, parts: kept }: { songs: Songs; parts: Kept<Pcm> },
): Promise<Uint8Array<ArrayBuffer>> {
  const { joins } = readBrief(made.task);
  const chain = chainOf(clips, joins ?? made.clip.id);
  const first = chain[0]?.part;
  const requestOf = (part: StoredClip): SongRequest => ({
    ...songSource(part),
    durationSeconds: part.clip.durationSeconds,
    instrumental: readBrief(part.task).instrumental,
    // A continuation keeps the key, tempo and tune of the first song of all.
    ...(first !== undefined && first !== part && { continues: songSource(first) }),
  });
  const load = () =>
    Promise.all([
      import("../../audio/formats/formats.js"),
      import("../../audio/song.js"),
      import("../../audio/pcm.js"),
    ] as const);
  if (joins === null) {
    const request = requestOf(made);
    return songs.get(JSON.stringify([request, format]), Number.POSITIVE_INFINITY, async () => {
      const [{ encode }, { composeSong }] = await load();
      return encode(composeSong(request), format);
    });
  }

  const [{ encode }, { composeSong }, { cutPcm, PcmJoin, SAMPLE_RATE }] = await load();
  const parts = lastParts(chain);
  const join = new PcmJoin(parts.reduce((sum, { seconds }) => sum + Math.ceil(seconds * SAMPLE_RATE), 0));
  for (const { part, seconds } of parts) {
    const whole = await kept.get(part.clip.id, Number.POSITIVE_INFINITY, async () =>
      composeSong(requestOf(part)),
    );
    join.add(cutPcm(whole, seconds));
    await new Promise<void>(nextTurn);
  }
  return encode(join.sound, format);
}

interface Part {
  part: StoredClip;
  /** How much of it there is to hear, before the next part takes over. */
  seconds: number;
}

/** What a clip is the end of: the song that was continued first, all that came between, and the clip itself. */
function chainOf(clips: Clips, endId: string): Part[] {
  const parts: Part[] = [];
  let place: ClipPosition | null = { clipId: endId, atSeconds: null };
  while (place !== null) {
    const part = clips.get(place.clipId);
    invariant(part !== undefined, "what is continued or joined exists");
    const { durationSeconds } = part.clip;
    parts.push({ part, seconds: Math.min(place.atSeconds ?? durationSeconds, durationSeconds) });
    place = readBrief(part.task).continues;
  }
  return parts.reverse();
}

/** As many parts, counted from the end, as a joined song has room for; those of which nothing is heard are left out. */
function lastParts(chain: readonly Part[]): Part[] {
  const parts: Part[] = [];
  let left = LONGEST_JOINED_SECONDS;
  for (const each of chain.toReversed()) {
    if (each.seconds > left) break;
    left -= each.seconds;
    if (each.seconds > 0) parts.push(each);
  }
  return parts.reverse();
}

function songSource({ task, clip }: StoredClip) {
  const { text, lyrics } = readBrief(task);
  return { text, lyrics, seed: clip.seed };
}
