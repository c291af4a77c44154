import { songDurationSeconds } from "../audio/song.js";
import { writeLyrics } from "../audio/words/lyrics.js";
import { songTitle } from "../audio/words/title.js";
import { invariant } from "../invariant.js";
import { randomStream, randomUuid } from "../random/random.js";
import type { State } from "../state/state.js";
import type { ClipDetails, SongSound, Sound, StoredClip } from "../tasks/stored-clip.js";
import type { OpenTask, StoredLyrics } from "../tasks/stored-task.js";
import { type Brief, readBrief } from "./brief.js";

/** What a task has made. It follows from the task alone: the same task makes the same, whenever it is read. */
export function makeResult(state: State, task: OpenTask): StoredClip[] | StoredLyrics {
  const { end } = task.plan;
  invariant(end.outcome === "success", "only a task that was planned to succeed has a result");
  if (task.type === "lyrics") {
    return writeLyrics({ prompt: String(task.input["prompt"]), seed: seedFor(state, task, 0) });
  }

  const brief = readBrief(task.model, task.type, task.input);
  const converted = task.audioFormat === "mp3" && state.policy.audio_conversion === "on";
  return Array.from({ length: end.clips }, (_, take) => {
    const sound = makeSound(brief, seedFor(state, task, take));
    return {
      id: randomUuid(state.seed, "clip", task.ordinal, take),
      sound,
      sourceFormat: end.format,
      format: converted && end.storable ? "mp3" : end.format,
      stored: end.storable,
      alternateUrls: end.alternateUrls,
      details: task.type === "music" && sound.kind === "song" ? makeDetails(brief, sound) : null,
    };
  });
}

function makeSound(brief: Brief, seed: number): Sound {
  if (brief.joins !== null) return { kind: "joined", clipId: brief.joins };
  const { text, lyrics, instrumental, continues } = brief;
  return {
    kind: "song",
    text,
    lyrics,
    seed,
    durationSeconds: songDurationSeconds(seed),
    instrumental,
    continues,
  };
}

function makeDetails(brief: Brief, { text, lyrics, seed, durationSeconds }: SongSound): ClipDetails {
  return {
    title: brief.title ?? songTitle(text || lyrics, seed),
    durationSeconds,
    tags: brief.tags,
    prompt: brief.lyrics,
    extras: brief.extras,
  };
}

/** The seed of one take: the request's own where it has one, so that who asks the same of `provider_b` again gets the same. */
function seedFor(state: State, task: OpenTask, take: number): number {
  const asked = task.model === "provider_b" ? task.input["seed"] : undefined;
  const random =
    typeof asked === "number"
      ? randomStream(asked, "asked song", take)
      : randomStream(state.seed, "song", task.ordinal, take);
  return Math.floor(random() * 2 ** 32);
}
