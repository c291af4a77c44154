/**
 * An adapter for `generateAudio` of TanStack AI: one order is one song, however often it is generated. It returns the first
 * clip of a song, whose URL expires after seven days: save the audio.
 */

import type { AudioGenerationOptions, AudioGenerationResult } from "@tanstack/ai";
import { BaseAudioAdapter } from "@tanstack/ai/adapters";
import {
  ApiError,
  type AsyncMusic,
  AsyncMusicError,
  type Journal,
  type Model,
  TaskFailedError,
  type TaskRequest,
  USD_PER_CREDIT,
} from "async-music";

/** The `modelOptions` of a song. */
export interface SongOptions {
  /**
   * The name of the order: the journal key. A call with the name of an earlier order continues with its song, and pays
   * nothing. After a failed task, choose a new name.
   */
  order: string;
}

/** The client and the journal. All processes that take the same orders share the journal. */
export interface Means {
  client: AsyncMusic;
  journal: Journal;
}

/** Songs of a model. The description of the song is the `prompt` of `generateAudio`. */
export function asyncMusicAudio(model: Model, means: Means): SongAdapter {
  return new SongAdapter(model, means);
}

class SongAdapter extends BaseAudioAdapter<Model, SongOptions> {
  override readonly name = "async-music";
  readonly #means: Means;

  constructor(model: Model, means: Means) {
    super(model);
    this.#means = means;
  }

  override async generateAudio(options: AudioGenerationOptions<SongOptions>): Promise<AudioGenerationResult> {
    const { prompt, duration, modelOptions, abortSignal, logger } = options;
    const { client, journal } = this.#means;
    const journalKey = modelOptions?.order;
    if (!journalKey)
      throw new Error("Missing order. Pass `modelOptions: { order }`: it prevents a second charge.");
    if (duration !== undefined)
      throw new Error("The service chooses the length of a song. Remove `duration`.");

    logger.request("activity=generateAudio provider=async-music", { model: this.model, order: journalKey });
    try {
      const isNew = (await journal.get(journalKey)) === null;
      // After an abort the task continues, and so does the next call for this order.
      const run = { journal, journalKey, signal: abortSignal };
      const {
        task_id: id,
        credits_cost,
        output,
      } = await client.tasks.run(requestOf(this.model, prompt), run);
      const [clip] = output.result;
      if (clip === undefined) throw new Error(`Task ${id} succeeded without a clip.`);
      const seconds = clip.metadata?.duration;
      return {
        id,
        model: this.model,
        // Without `contentType`: only the response of a download states the format.
        audio: { url: clip.audio_url, ...(seconds !== undefined && { duration: seconds }) },
        // A call that continued an earlier order was not charged.
        ...(isNew && { usage: usageOf(credits_cost) }),
      };
    } catch (error) {
      logger.errors("async-music.generateAudio failed", { error, source: "async-music.generateAudio" });
      throw error instanceof AsyncMusicError ? withCode(error) : error;
    }
  }
}

function requestOf(model: Model, prompt: string) {
  return model === "provider_a"
    ? ({
        model,
        task_type: "music",
        input: { gpt_description_prompt: prompt },
      } as const satisfies TaskRequest)
    : ({ model, task_type: "music", input: { prompt } } as const satisfies TaskRequest);
}

function usageOf(credits: number): NonNullable<AudioGenerationResult["usage"]> {
  const tokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  return { ...tokens, billed: { quantity: credits, unit: "units" }, cost: credits * USD_PER_CREDIT };
}

/** An error with the `code` that TanStack AI streams to the page: the service's error code, or the error's class. */
function withCode(error: AsyncMusicError): Error & { code: string } {
  const isStated = error instanceof TaskFailedError || error instanceof ApiError;
  const code = (isStated && error.errorCode) || error.name;
  return Object.assign(new Error(error.message, { cause: error }), { code });
}
