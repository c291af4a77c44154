import { songDurationSeconds } from "../../audio/song-duration.js";
import { writeLyrics } from "../../audio/words/lyrics.js";
import { songTitle } from "../../audio/words/title.js";
import { randomStream, randomUuid } from "../../time/random.js";
import { type ProviderTask, readBrief } from "./brief.js";
import { type Plan, plannedSuccess } from "./plan.js";

/** A clip as it was made. Everything else that is said of it, and what it sounds like, follows from its task. */
export interface MadeClip {
  id: string;
  /** What its sound comes from, besides the task's input. */
  seed: number;
  title: string;
  durationSeconds: number;
}

export interface MadeLyrics {
  title: string;
  text: string;
}

/** A task whose work is done. */
interface DoneTask extends ProviderTask {
  ordinal: number;
  plan: Plan;
}

/** What a task has made. It follows from the task alone: the same task makes the same, whenever it is read. */
export function makeResult(seed: number, task: DoneTask): MadeClip[] | MadeLyrics {
  if (task.type === "lyrics") {
    return writeLyrics({ prompt: String(task.input["prompt"]), seed: takeSeed(seed, task, 0) });
  }
  const { text, lyrics, title } = readBrief(task);
  return Array.from({ length: plannedSuccess(task).clips }, (_, take) => {
    const clipSeed = takeSeed(seed, task, take);
    return {
      id: randomUuid(seed, "clip", task.ordinal, take),
      seed: clipSeed,
      title: title ?? songTitle(text || lyrics, clipSeed),
      durationSeconds: songDurationSeconds(clipSeed),
    };
  });
}

/**
 * The seed of one take: it comes from the request's own where that has one, so that who asks the same of `provider_b`
 * again gets the same.
 */
function takeSeed(seed: number, { model, input, ordinal }: DoneTask, take: number): number {
  const asked = model === "provider_b" ? input["seed"] : undefined;
  const random =
    typeof asked === "number"
      ? randomStream(asked, "asked song", take)
      : randomStream(seed, "song", ordinal, take);
  return Math.floor(random() * 2 ** 32);
}
