import type { Pcm } from "../audio/pcm.js";
import { invariant } from "../invariant.js";
import type { Index } from "../state/world.js";
import type { SongSound, StoredClip } from "../tasks/stored-clip.js";

/** A clip in the wanted format. The heavy parts are loaded when the first clip is asked for. */
export async function makeAudio(
  clips: Index["clips"],
  clip: StoredClip,
  format: StoredClip["format"],
): Promise<Uint8Array<ArrayBuffer>> {
  const [{ encode }, { composeSong }, { cutPcm, joinPcm }] = await Promise.all([
    import("../audio/formats/formats.js"),
    import("../audio/song.js"),
    import("../audio/pcm.js"),
  ]);

  const song = (sound: SongSound): Pcm => {
    const { text, lyrics, seed, durationSeconds, instrumental } = sound;
    const source = sourceOf(clips, sound);
    const continues =
      source === null ? {} : { continues: { text: source.text, lyrics: source.lyrics, seed: source.seed } };
    return composeSong({ text, lyrics, seed, durationSeconds, instrumental, ...continues });
  };
  const parts = partsOf(clips, clip).map(({ sound, untilSeconds }) => {
    const whole = song(sound);
    return untilSeconds === null ? whole : cutPcm(whole, untilSeconds);
  });
  return encode(joinPcm(parts), format);
}

interface Part {
  sound: SongSound;
  /** Where the next part takes over; `null` for its end. */
  untilSeconds: number | null;
}

/** The songs that a clip is made of: one, or where it joins a continued clip, all that come before it as well. */
function partsOf(clips: Index["clips"], { sound }: StoredClip): Part[] {
  if (sound.kind === "song") return [{ sound, untilSeconds: null }];
  const parts: Part[] = [];
  let next: { clipId: string; atSeconds: number | null } | null = { clipId: sound.clipId, atSeconds: null };
  while (next !== null) {
    const part: SongSound = soundOf(clips, next.clipId);
    parts.unshift({ sound: part, untilSeconds: next.atSeconds });
    next = part.continues;
  }
  return parts;
}

/** The song whose key, tempo and tune a continuation keeps: the first of all. */
function sourceOf(clips: Index["clips"], sound: SongSound): SongSound | null {
  let source: SongSound | null = null;
  for (let next = sound.continues; next !== null; next = source.continues)
    source = soundOf(clips, next.clipId);
  return source;
}

function soundOf(clips: Index["clips"], clipId: string): SongSound {
  const sound = clips.get(clipId)?.clip.sound;
  invariant(sound?.kind === "song", "only songs are continued and joined");
  return sound;
}
