import type {
  AsyncMusic,
  AudioDownload,
  Balance,
  ClientOptions,
  Clip,
  Lyrics,
  SucceededTask,
  SucceededTaskOf,
  Task,
  TaskRequest,
  TaskSubmission,
  Usage,
  WithResponse,
} from "async-music";
import * as sdk from "async-music";
import type { saveAudio } from "async-music/node";
import { test } from "vitest";
import { assertFalse, assertTrue, type Equals, type HoldsAny, type IsAny } from "./support.js";

/** A value of a type: nothing here runs. */
declare function given<Value>(): Value;

const client = given<AsyncMusic>();
const { tasks, account, audio } = client;

test("the result of a run follows its request", async () => {
  const lyrics = await tasks.run({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } });
  assertTrue<Equals<typeof lyrics.output.result, Lyrics>>();
  assertTrue<Equals<typeof lyrics.output.result.text, string>>();
  // @ts-expect-error lyrics are no clips
  lyrics.output.result.map((clip) => clip);

  const song = await tasks.run({ model: "provider_a", task_type: "music", input: { tags: "fado" } });
  assertTrue<Equals<typeof song.output.result, Clip[]>>();
  // @ts-expect-error a song has no text
  song.output.result.text;
  // @ts-expect-error there may be no clip at all
  song.output.result[0].audio_url;

  const upload = await tasks.run({
    model: "provider_a",
    task_type: "upload",
    input: { url: "https://example.com" },
  });
  const concat = await tasks.run({ model: "provider_a", task_type: "concat", input: { clip_id: "c" } });
  const other = await tasks.run({ model: "provider_b", task_type: "music", input: { prompt: "calm" } });
  assertTrue<Equals<typeof upload.output.result, Clip[]>>();
  assertTrue<Equals<typeof concat.output.result, Clip[]>>();
  assertTrue<Equals<typeof other.output.result, Clip[]>>();
  assertTrue<Equals<typeof song.status, "success">>();
});

test("a submission keeps the type of its result, also through JSON", async () => {
  const request = given<TaskRequest>();
  const saved = given<TaskSubmission>();
  const created = await tasks.create({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } });
  assertTrue<Equals<typeof created, TaskSubmission<"lyrics">>>();
  const lyrics = await tasks.wait(created);
  assertTrue<Equals<typeof lyrics.output.result, Lyrics>>();

  const parsed = JSON.parse(JSON.stringify(created)) as typeof created;
  const again = await tasks.wait(parsed);
  assertTrue<Equals<typeof again.output.result.text, string>>();

  const full = await tasks
    .create({ model: "provider_b", task_type: "music", input: { prompt: "calm" } })
    .withResponse();
  assertTrue<Equals<typeof full, WithResponse<TaskSubmission<"music">>>>();

  const unknown = await tasks.wait(saved);
  const anything = await tasks.run(request);
  for (const task of [unknown, anything]) {
    assertTrue<Equals<typeof task.output.result, Clip[] | Lyrics>>();
    // @ts-expect-error it may be lyrics
    task.output.result.map((clip) => clip);
    if (task.type === "lyrics") assertTrue<Equals<typeof task.output.result, Lyrics>>();
    else assertTrue<Equals<typeof task.output.result, Clip[]>>();
  }
});

test("a bare id may be any kind of task", async () => {
  const task = await tasks.wait("id");
  assertTrue<Equals<typeof task, SucceededTask>>();
  const seen = await tasks.retrieve("id");
  assertTrue<Equals<typeof seen, Task>>();
  for await (const each of tasks.watch("id")) assertTrue<Equals<typeof each, Task>>();
  // @ts-expect-error a task that is not known to have succeeded may have no output
  seen.output.result;
});

test("statuses and codes are named, and open for what a later version adds", async () => {
  const task = given<Task>();
  const known: Task["status"][] = ["pending", "running", "success", "failure", "timeout"];
  const later: Task["status"] = "paused";
  const code: Task["error_code"] = "content_moderation";
  if (task.error_code === "rate_limited")
    assertTrue<Equals<typeof task.retry_after_seconds, number | null>>();
  void [known, later, code];
});

test("answers have the fields of the interface", async () => {
  const balance = await account.balance();
  assertTrue<Equals<typeof balance.available, number>>();
  const { data, response, requestId, rateLimit } = await account.usage().withResponse();
  assertTrue<Equals<typeof data.credits_used, number>>();
  assertTrue<Equals<typeof response, Response>>();
  assertTrue<Equals<typeof requestId, string>>();
  assertTrue<Equals<typeof rateLimit.remaining, number | null>>();
  const download = await audio.download("https://example.com");
  assertTrue<Equals<typeof download.size, number | null>>();
  assertTrue<Equals<typeof download.extension, "mp3" | "wav" | "flac" | "ogg" | "m4a" | "bin">>();
  // What is beyond the contract is there, and has to be looked at before it is used.
  assertTrue<Equals<(typeof balance)["anything"], unknown>>();
});

test("errors carry what they promise", () => {
  const error = given<unknown>();
  if (error instanceof sdk.TaskTimedOutError) assertTrue<Equals<typeof error.task, Task>>();
  if (error instanceof sdk.WaitTimeoutError) {
    assertTrue<Equals<typeof error.taskId, string>>();
    assertTrue<Equals<typeof error.task, Task | null>>();
  }
  if (error instanceof sdk.RateLimitedError) {
    assertTrue<Equals<typeof error.retryAt, Date | null>>();
    assertTrue<Equals<typeof error.retryAfterSeconds, number | null>>();
    assertTrue<Equals<typeof error.headers, Headers>>();
  }
  if (error instanceof sdk.SubmissionOutcomeUnknownError) {
    assertTrue<Equals<typeof error.status, number | null>>();
    assertTrue<Equals<typeof error.request, unknown>>();
    assertTrue<Equals<typeof error.cause, unknown>>();
  }
  if (error instanceof sdk.InvalidRequestError) {
    assertTrue<Equals<typeof error.issues, readonly { readonly path: string; readonly message: string }[]>>();
  }
});

test("every option is optional, and a misspelt one is an error", () => {
  const none: ClientOptions = {};
  void [
    new sdk.AsyncMusic(),
    new sdk.AsyncMusic(none),
    new sdk.AsyncMusic({ apiKey: undefined, clock: undefined }),
  ];
  // @ts-expect-error a name that is misspelt is no option
  new sdk.AsyncMusic({ apikey: "key" });
  // @ts-expect-error a clock also sleeps
  new sdk.AsyncMusic({ clock: { now: () => 0 } });
});

test("nothing of the public surface is any", () => {
  assertTrue<IsAny<ReturnType<JSON["parse"]>>>();
  assertTrue<HoldsAny<{ a: { b: (c: unknown) => Promise<ReturnType<JSON["parse"]>> } }>>();
  assertTrue<HoldsAny<{ a: string } | { a: (b: ReturnType<JSON["parse"]>[]) => void }>>();

  assertFalse<HoldsAny<Task>>();
  assertFalse<HoldsAny<TaskRequest>>();
  assertFalse<HoldsAny<TaskSubmission>>();
  assertFalse<HoldsAny<SucceededTask>>();
  assertFalse<HoldsAny<SucceededTaskOf<"lyrics">>>();
  assertFalse<HoldsAny<Clip>>();
  assertFalse<HoldsAny<Lyrics>>();
  assertFalse<HoldsAny<Balance>>();
  assertFalse<HoldsAny<Usage>>();
  assertFalse<HoldsAny<sdk.RequestOptions>>();
  assertFalse<HoldsAny<sdk.WaitOptions>>();
  assertFalse<HoldsAny<sdk.RunOptions>>();
  assertFalse<HoldsAny<sdk.Clock>>();
  assertFalse<HoldsAny<AudioDownload["extension" | "contentType" | "size"]>>();
  assertFalse<HoldsAny<typeof tasks.create>>();
  assertFalse<HoldsAny<typeof tasks.retrieve>>();
  assertFalse<HoldsAny<typeof tasks.wait>>();
  assertFalse<HoldsAny<typeof tasks.run>>();
  assertFalse<HoldsAny<typeof account.balance>>();
  assertFalse<IsAny<Parameters<typeof audio.download>[0]>>();
  assertFalse<IsAny<Awaited<ReturnType<typeof saveAudio>>>>();
  assertFalse<
    true extends { [Name in keyof typeof sdk]: IsAny<(typeof sdk)[Name]> }[keyof typeof sdk] ? true : false
  >();
});
