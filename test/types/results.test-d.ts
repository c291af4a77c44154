import * as sdk from "async-music";
import type { saveAudio } from "async-music/node";
import { type Mocked, test, vi } from "vitest";
import { assertFalse, assertTrue, type Equals, given, type HoldsAny, type IsAny } from "./support.js";

const client = given<sdk.AsyncMusic>();
const { tasks, account, audio } = client;

test("the result of a run follows its request", async () => {
  const lyrics = await tasks.run({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } });
  assertTrue<Equals<typeof lyrics.output.result, sdk.Lyrics>>();
  assertTrue<Equals<typeof lyrics.output.result.text, string>>();
  // @ts-expect-error lyrics are not clips
  lyrics.output.result.map((clip) => clip);

  const song = await tasks.run({ model: "provider_a", task_type: "music", input: { tags: "fado" } });
  assertTrue<Equals<typeof song.output.result, sdk.Clip[]>>();
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
  assertTrue<Equals<typeof upload.output.result, sdk.Clip[]>>();
  assertTrue<Equals<typeof concat.output.result, sdk.Clip[]>>();
  assertTrue<Equals<typeof other.output.result, sdk.Clip[]>>();
  assertTrue<Equals<typeof song.status, "success">>();
});

test("a test double with the types of the client fits in place of its methods", () => {
  type Reads = Pick<sdk.Tasks, "retrieve" | "wait" | "watch">;
  const doubles: Mocked<Reads> = { retrieve: vi.fn(), wait: vi.fn(), watch: vi.fn() };
  const wait: Reads["wait"] = vi.fn<Reads["wait"]>();
  given<(reads: Reads) => void>()({ ...doubles, wait });
});

test("a submission has the type of its result", async () => {
  const request = given<sdk.TaskRequest>();
  const saved = given<sdk.TaskSubmission>();
  const created = await tasks.create({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } });
  assertTrue<Equals<typeof created, sdk.TaskSubmission<"lyrics">>>();
  const full = await tasks
    .create({ model: "provider_b", task_type: "music", input: { prompt: "calm" } })
    .withResponse();
  assertTrue<Equals<typeof full, sdk.WithResponse<sdk.TaskSubmission<"music">>>>();

  const unknown = await tasks.wait(saved);
  const anything = await tasks.run(request);
  for (const task of [unknown, anything]) {
    assertTrue<Equals<typeof task.output.result, sdk.Clip[] | sdk.Lyrics>>();
    // @ts-expect-error it may be lyrics
    task.output.result.map((clip) => clip);
    if (task.type === "lyrics") assertTrue<Equals<typeof task.output.result, sdk.Lyrics>>();
    else assertTrue<Equals<typeof task.output.result, sdk.Clip[]>>();
  }
});

test("a bare id may be any kind of task", async () => {
  const task = await tasks.wait("id");
  assertTrue<Equals<typeof task, sdk.SucceededTask>>();
  const seen = await tasks.retrieve("id");
  assertTrue<Equals<typeof seen, sdk.Task>>();
  for await (const each of tasks.watch("id")) assertTrue<Equals<typeof each, sdk.Task>>();
  // @ts-expect-error a task that is not known to have succeeded may have no output
  seen.output.result;
});

test("a task narrows by its type and its status, in any order", () => {
  const task = given<sdk.Task>();
  if (task.type === "music" && task.status === "success") {
    assertTrue<Equals<typeof task, sdk.SucceededTask<"music">>>();
    assertTrue<Equals<typeof task.output.result, sdk.Clip[]>>();
  }
  if (task.status === "success" && task.type === "lyrics")
    assertTrue<Equals<typeof task.output.result, sdk.Lyrics>>();
  if (task.status === "failure" || task.status === "timeout")
    assertTrue<Equals<typeof task, sdk.FailedTask>>();
  else if (task.status !== "success") assertTrue<Equals<typeof task, sdk.UnfinishedTask>>();
  const ended = given<Extract<sdk.Task, { status: "failure" }>>();
  assertTrue<Equals<typeof ended.status, "failure">>();
  // @ts-expect-error only a task that succeeded has a result
  if (task.type === "music" && task.status === "running") task.output.result[0];
  // @ts-expect-error a result that may be of any type has to be narrowed
  if (task.status === "success") task.output.result[0];
  const { type, status, output } = given<sdk.Task>();
  if (type === "upload" && status === "success") assertTrue<Equals<typeof output.result, sdk.Clip[]>>();
});

test("a switch over all listed types or statuses leaves a string for those of a later version", () => {
  const task = given<sdk.Task>();
  switch (task.status) {
    case "pending":
    case "running":
    case "success":
    case "failure":
    case "timeout":
      break;
    default: {
      const status: string = task.status;
      assertTrue<Equals<typeof task.status, sdk.Unlisted>>();
      assertTrue<Equals<typeof task.output, sdk.TaskOutput | null>>();
      void status;
    }
  }
  if (task.status !== "success") return;
  switch (task.type) {
    case "music":
    case "lyrics":
    case "upload":
    case "concat":
      break;
    default:
      assertTrue<Equals<typeof task, sdk.SucceededTask<sdk.Unlisted>>>();
      assertTrue<Equals<typeof task.output.result, unknown>>();
  }
});

test("the guards narrow tasks with a known or unknown status", () => {
  const task = given<sdk.Task>();
  const succeeded = given<sdk.SucceededTask>();
  const failed = given<sdk.FailedTask>();
  if (sdk.isMusic(task)) assertTrue<Equals<typeof task, sdk.Task<"music">>>();
  if (sdk.isMusic(task) && task.status === "success")
    assertTrue<Equals<typeof task.output.result, sdk.Clip[]>>();
  if (sdk.isMusic(succeeded)) assertTrue<Equals<typeof succeeded.output.result, sdk.Clip[]>>();
  if (sdk.isLyrics(succeeded)) assertTrue<Equals<typeof succeeded.output.result.text, string>>();
  if (sdk.isLyrics(failed)) assertTrue<Equals<typeof failed, sdk.FailedTask<"lyrics">>>();
  // @ts-expect-error a submission is not a task
  sdk.isMusic(given<sdk.TaskSubmission>());
});

test("of a value that is an ID or a submission, or of any type, the result may be of every type", async () => {
  const either = given<string | sdk.TaskSubmission<"lyrics">>();
  const done = await tasks.wait(either);
  assertTrue<Equals<typeof done, sdk.SucceededTask>>();
  const task = await tasks.retrieve(either);
  assertTrue<Equals<typeof task, sdk.Task>>();
  const parsed = await tasks.retrieve(JSON.parse("{}"));
  assertTrue<Equals<typeof parsed, sdk.Task>>();
  const two = given<sdk.TaskSubmission<"music"> | sdk.TaskSubmission<"lyrics">>();
  for await (const each of tasks.watch(two)) assertTrue<Equals<typeof each, sdk.Task<"music" | "lyrics">>>();
});

test("the callbacks of a call receive a submission and a task of the type of its request", () => {
  const song = { model: "provider_a", task_type: "music", input: { tags: "fado" } } as const;
  void tasks.run(song, {
    onSubmitted: (each) => assertTrue<Equals<typeof each, sdk.TaskSubmission<"music">>>(),
    onUpdate: (each) => assertTrue<Equals<typeof each, sdk.Task<"music">>>(),
  });
  void tasks.create(song, {
    journal: sdk.memoryJournal(),
    journalKey: "order-1",
    onSubmitted: (each) => assertTrue<Equals<typeof each, sdk.TaskSubmission<"music">>>(),
  });
  void tasks.wait(given<sdk.TaskSubmission<"lyrics">>(), {
    onUpdate: (each) => assertTrue<Equals<typeof each, sdk.Task<"lyrics">>>(),
  });
  void tasks.wait("id", { onUpdate: (each) => assertTrue<Equals<typeof each, sdk.Task>>() });
  void tasks.runAll([song], {
    onSubmitted: (each) => assertTrue<Equals<typeof each, sdk.TaskSubmission<"music">>>(),
  });
  // Callbacks and options for every type.
  const options: sdk.RunOptions = {
    onSubmitted: (each) => assertTrue<Equals<typeof each, sdk.TaskSubmission>>(),
    onUpdate: (each) => assertTrue<Equals<typeof each, sdk.Task>>(),
  };
  void tasks.run(song, options);
  void tasks.wait("id", options);
  void tasks.create(song, options);
  // @ts-expect-error a callback for another type
  void tasks.run(song, { onSubmitted: (_: sdk.TaskSubmission<"lyrics">) => {} });
});

test("only a budget that the SDK has made is accepted", () => {
  const budget: sdk.Budget = sdk.memoryBudget({ maxCredits: 1, per: "day" });
  const usage = budget.usage.bind(budget);
  // @ts-expect-error a class of an application is no budget
  class OwnBudget implements sdk.Budget {
    usage = usage;
  }
  // @ts-expect-error nor is an object
  void tasks.wait("id", { tenant: "acme", budget: { usage } });
  void OwnBudget;
});

test("retrieve, wait and watch keep the type of a submission, also after JSON", async () => {
  const created = await tasks.create({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } });
  const parsed = JSON.parse(JSON.stringify(created)) as typeof created;
  for (const submission of [created, parsed]) {
    const task = await tasks.retrieve(submission);
    assertTrue<Equals<typeof task, sdk.Task<"lyrics">>>();
    if (task.status === "success") assertTrue<Equals<typeof task.output.result, sdk.Lyrics>>();
    for await (const each of tasks.watch(submission)) assertTrue<Equals<typeof each, sdk.Task<"lyrics">>>();
    const done = await tasks.wait(submission);
    assertTrue<Equals<typeof done, sdk.SucceededTask<"lyrics">>>();
  }
  const { data } = await tasks.retrieve(created).withResponse();
  assertTrue<Equals<typeof data, sdk.Task<"lyrics">>>();
  const either = given<string | sdk.TaskSubmission>();
  void [tasks.retrieve(either), tasks.wait(either), tasks.watch(either)];
});

test("statuses and codes are listed, and accept values that a later version adds", async () => {
  const task = given<sdk.Task>();
  const known: sdk.Task["status"][] = ["pending", "running", "success", "failure", "timeout"];
  // @ts-expect-error a status that is not listed has to be declared as such
  const misspelt: sdk.Task["status"] = "sucess";
  const later: sdk.Task["status"] = "paused" as sdk.Unlisted;
  const code: sdk.Task["error_code"] = "content_moderation";
  if (task.error_code === "rate_limited")
    assertTrue<Equals<typeof task.retry_after_seconds, number | null>>();
  void [known, misspelt, later, code];
});

test("responses have the fields of the interface", async () => {
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
});

test("an undocumented field is read with `extraField` alone, and has to be narrowed before use", () => {
  const succeeded = given<sdk.SucceededTask<"music">>();
  const [clip] = succeeded.output.result;
  if (clip === undefined) return;
  assertTrue<Equals<ReturnType<typeof sdk.extraField>, unknown>>();
  const lyrics = given<sdk.Lyrics>();
  const objects = [
    given<sdk.Task>(),
    given<sdk.TaskSubmission>(),
    given<sdk.TaskSubmission<"lyrics">>(),
    succeeded,
    succeeded.output,
    clip,
    clip.metadata ?? {},
    lyrics,
    given<sdk.Balance>(),
    given<sdk.Usage>(),
  ] as const;
  for (const object of objects) sdk.extraField(object, "video_url");
  void [
    // @ts-expect-error the duration is in the metadata
    clip.duration,
    // @ts-expect-error
    clip.audioUrl,
    // @ts-expect-error
    clip.metadata?.length,
    // @ts-expect-error the id of a submission is `task_id`
    given<sdk.TaskSubmission>().id,
    // @ts-expect-error
    given<sdk.Task>().id,
    // @ts-expect-error
    given<sdk.Task>().output?.clips,
    // @ts-expect-error
    lyrics.lyrics,
    // @ts-expect-error
    given<sdk.Balance>().credits,
    // @ts-expect-error
    given<sdk.Usage>().tasksCreated,
    // @ts-expect-error a promise is no object of a response
    sdk.extraField(account.balance(), "bonus"),
  ];
});

test("a comparison with a misspelled literal does not compile", () => {
  const task = given<sdk.Task>();
  const submission = given<sdk.TaskSubmission>();
  const error = given<unknown>();
  void [
    task.error_code === "content_moderation",
    task.model === "provider_b",
    submission.status === "pending",
    submission.type === "lyrics",
    // A later version of the service may add values: as plain strings they can be compared with anything.
    String(task.error_code) === "voice_unavailable",
    // @ts-expect-error
    task.status === "paused",
    // @ts-expect-error
    task.error_code === "content_moderatoin",
    // @ts-expect-error
    task.model === "provider_c",
    // @ts-expect-error
    submission.status === "panding",
    // @ts-expect-error
    submission.type === "song",
    // @ts-expect-error
    error instanceof sdk.TaskFailedError && error.errorCode === "content_moderatoin",
    // @ts-expect-error
    error instanceof sdk.ApiError && error.errorCode === "insufficent_credits",
    // @ts-expect-error
    error instanceof sdk.InvalidRequestError && error.errorCode === "invalid_input",
  ];
  switch (task.error_code) {
    case null:
    case "content_moderation":
    case "invalid_task_input":
    case "rate_limited":
    case "upstream_provider_error":
      break;
    // @ts-expect-error
    case "moderation":
      break;
    default: {
      const code: string = task.error_code;
      assertTrue<Equals<typeof task.error_code, sdk.Unlisted>>();
      void code;
    }
  }
});

test("errors have their documented fields", () => {
  const error = given<unknown>();
  if (error instanceof sdk.TaskTimedOutError) {
    assertTrue<Equals<typeof error.task, sdk.FailedTask>>();
    assertTrue<Equals<typeof error.task.status, "failure" | "timeout">>();
    if (error.task.type === "music") assertTrue<Equals<typeof error.task, sdk.FailedTask<"music">>>();
  }
  if (error instanceof sdk.WaitTimeoutError) {
    assertTrue<Equals<typeof error.taskId, string>>();
    assertTrue<Equals<typeof error.task, sdk.Task | null>>();
  }
  if (error instanceof sdk.RateLimitedError) {
    assertTrue<Equals<typeof error.retryAt, Date | null>>();
    assertTrue<Equals<typeof error.retryAfterSeconds, number | null>>();
    assertTrue<Equals<typeof error.headers, Headers>>();
  }
  if (error instanceof sdk.SubmissionOutcomeUnknownError) {
    assertTrue<Equals<typeof error.status, number | null>>();
    assertTrue<Equals<typeof error.request, sdk.TaskRequest>>();
    if (error.request.task_type === "lyrics") assertTrue<Equals<typeof error.request, sdk.LyricsRequest>>();
    if (error.request.model === "provider_b")
      assertTrue<Equals<typeof error.request, sdk.ProviderBMusicRequest>>();
    assertTrue<Equals<typeof error.cause, unknown>>();
  }
  if (error instanceof sdk.InvalidRequestError) {
    assertTrue<Equals<typeof error.issues, readonly { readonly path: string; readonly message: string }[]>>();
  }
});

test("every option is optional, and a misspelled one does not compile", () => {
  const none: sdk.ClientOptions = {};
  void [
    new sdk.AsyncMusic(),
    new sdk.AsyncMusic(none),
    new sdk.AsyncMusic({ apiKey: undefined, clock: undefined }),
  ];
  // @ts-expect-error a misspelled name is not an option
  new sdk.AsyncMusic({ apikey: "key" });
  // @ts-expect-error a clock also sleeps
  new sdk.AsyncMusic({ clock: { now: () => 0 } });
});

test("no public type is any", () => {
  assertTrue<IsAny<ReturnType<JSON["parse"]>>>();
  assertTrue<HoldsAny<{ a: { b: (c: unknown) => Promise<ReturnType<JSON["parse"]>> } }>>();
  assertTrue<HoldsAny<{ a: string } | { a: (b: ReturnType<JSON["parse"]>[]) => void }>>();

  assertFalse<HoldsAny<sdk.Task | sdk.TaskRequest | sdk.TaskSubmission>>();
  assertFalse<HoldsAny<sdk.SucceededTask | sdk.SucceededTaskOf<"lyrics"> | sdk.Clip | sdk.Lyrics>>();
  assertFalse<HoldsAny<sdk.Balance | sdk.Usage>>();
  assertFalse<HoldsAny<sdk.RequestOptions | sdk.WaitOptions | sdk.RunOptions | sdk.Clock>>();
  assertFalse<HoldsAny<sdk.AudioDownload["extension" | "contentType" | "size"]>>();
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

test("the request of a journal entry runs again without a cast, and narrows by its task type", async () => {
  const journal = sdk.memoryJournal();
  const entry = await journal.get("order-1");
  if (entry === null) return;
  assertTrue<Equals<typeof entry.request, sdk.TaskRequest>>();
  await tasks.run(entry.request, { journal, journalKey: "order-1" });
  if (entry.request.task_type === "lyrics") assertTrue<Equals<typeof entry.request, sdk.LyricsRequest>>();
});
