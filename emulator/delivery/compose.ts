import type { AudioFormat } from "../audio/formats/formats.js";
import type { Pcm } from "../audio/pcm.js";
import { invariant } from "../invariant.js";
import { type ClipPlace, readBrief } from "../providers/brief.js";
import type { StoredClip } from "../stored/clip.js";

/** All clips that there are, by their id. */
export type Clips = ReadonlyMap<string, StoredClip>;

/** A clip in the wanted format. The heavy parts are loaded when the first clip is asked for. */
export async function makeAudio(
  clips: Clips,
  made: StoredClip,
  format: AudioFormat,
): Promise<Uint8Array<ArrayBuffer>> {
  const [{ encode }, { composeSong }, { cutPcm, joinPcm }] = await Promise.all([
    import("../audio/formats/formats.js"),
    import("../audio/song.js"),
    import("../audio/pcm.js"),
  ]);

  const compose = (part: StoredClip): Pcm => {
    const { instrumental } = readBrief(part.task);
    const source = firstSource(clips, part);
    return composeSong({
      ...songSource(part),
      durationSeconds: part.clip.durationSeconds,
      instrumental,
      ...(source !== null && { continues: songSource(source) }),
    });
  };
  const parts = partsOf(clips, made).map(({ part, untilSeconds }) =>
    untilSeconds === null ? compose(part) : cutPcm(compose(part), untilSeconds),
  );
  return encode(joinPcm(parts), format);
}

interface Part {
  part: StoredClip;
  /** Where the next part takes over; `null` for its end. */
  untilSeconds: number | null;
}

/** What a clip is made of: itself, or where it joins a continued clip, that one and all that come before it. */
function partsOf(clips: Clips, made: StoredClip): Part[] {
  const parts: Part[] = [];
  const { joins } = readBrief(made.task);
  let place: ClipPlace | null = joins === null ? null : { clipId: joins, atSeconds: null };
  while (place !== null) {
    const part = clipAt(clips, place.clipId);
    parts.unshift({ part, untilSeconds: place.atSeconds });
    place = readBrief(part.task).continues;
  }
  return parts.length > 0 ? parts : [{ part: made, untilSeconds: null }];
}

/** The song whose key, tempo and tune a continuation keeps: the first of all. */
function firstSource(clips: Clips, made: StoredClip): StoredClip | null {
  let source: StoredClip | null = null;
  let place = readBrief(made.task).continues;
  while (place !== null) {
    source = clipAt(clips, place.clipId);
    place = readBrief(source.task).continues;
  }
  return source;
}

function songSource({ task, clip }: StoredClip) {
  const { text, lyrics } = readBrief(task);
  return { text, lyrics, seed: clip.seed };
}

function clipAt(clips: Clips, clipId: string): StoredClip {
  const found = clips.get(clipId);
  invariant(found !== undefined, "what is continued or joined exists");
  return found;
}
