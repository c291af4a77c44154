import type { AudioFormat } from "../audio/formats/formats.js";
import type { Pcm } from "../audio/pcm.js";
import { invariant } from "../invariant.js";
import { type ClipPlace, readBrief } from "../providers/brief.js";
import type { Index, IndexedClip } from "../state/world.js";

/** A clip in the wanted format. The heavy parts are loaded when the first clip is asked for. */
export async function makeAudio(
  clips: Index["clips"],
  made: IndexedClip,
  format: AudioFormat,
): Promise<Uint8Array<ArrayBuffer>> {
  const [{ encode }, { composeSong }, { cutPcm, joinPcm }] = await Promise.all([
    import("../audio/formats/formats.js"),
    import("../audio/song.js"),
    import("../audio/pcm.js"),
  ]);

  const compose = (part: IndexedClip): Pcm => {
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
  part: IndexedClip;
  /** Where the next part takes over; `null` for its end. */
  untilSeconds: number | null;
}

/** What a clip is made of: itself, or where it joins a continued clip, that one and all that come before it. */
function partsOf(clips: Index["clips"], made: IndexedClip): Part[] {
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
function firstSource(clips: Index["clips"], made: IndexedClip): IndexedClip | null {
  let source: IndexedClip | null = null;
  let place = readBrief(made.task).continues;
  while (place !== null) {
    source = clipAt(clips, place.clipId);
    place = readBrief(source.task).continues;
  }
  return source;
}

function songSource({ task, clip }: IndexedClip) {
  const { text, lyrics } = readBrief(task);
  return { text, lyrics, seed: clip.seed };
}

function clipAt(clips: Index["clips"], clipId: string): IndexedClip {
  const found = clips.get(clipId);
  invariant(found !== undefined, "what is continued or joined exists");
  return found;
}
