import type {
  AsyncMusic,
  CreateOptions,
  Journal,
  Model,
  MusicRequest,
  RequestOptions,
  RunOptions,
  SucceededTask,
  TaskRequest,
  TaskSubmission,
  TaskType,
  WaitOptions,
} from "async-music";
import { creditsFor } from "async-music";
import { test } from "vitest";
import { assertTrue, type Equals, given } from "./support.js";

// Resources: Task creation request. What the service forbids does not compile, in create and in run. That each input has the
// fields of the table, and forbids those of the other model, is proved in contract-schemas.test-d.ts.

const client = given<AsyncMusic>();
const { tasks } = client;
const { create } = tasks;

const song = { model: "provider_a", task_type: "music" } as const;
const songB = { model: "provider_b", task_type: "music" } as const;
const lyrics = { model: "provider_a", task_type: "lyrics" } as const;
const upload = { model: "provider_a", task_type: "upload" } as const;
const concat = { model: "provider_a", task_type: "concat" } as const;

test("a field that is misspelled, or of another task type, does not compile", () => {
  void [
    // @ts-expect-error
    create({ ...song, audio_fromat: "mp3", input: { tags: "fado" } }),
    // @ts-expect-error
    tasks.run({ ...song, input: { gpt_description_prompt: "a", instrumental: true } }),
    // @ts-expect-error
    create({ ...lyrics, input: { prompt: "rain", tags: "fado" } }),
    // @ts-expect-error
    tasks.run({ ...upload, input: { url: "https://a.example", title: "a" } }),
  ];
});

test("a request that the interface allows compiles", () => {
  void [
    create({ ...song, input: { gpt_description_prompt: "rain" } }),
    create({
      ...song,
      input: { gpt_description_prompt: "rain", negative_tags: "rock", model_version: "v5" },
    }),
    create({
      ...song,
      input: { gpt_description_prompt: "rain", make_instrumental: true },
      audio_format: "mp3",
    }),
    create({ ...song, input: { prompt: "la la" } }),
    create({ ...song, input: { tags: "fado", make_instrumental: true } }),
    create({ ...song, input: { prompt: "", tags: "fado", title: { any: ["json", 1] } } }),
    create({ ...song, input: { continue_clip_id: "c", continue_at: 12.5, title: 7 } }),
    // Fields that a mode ignores are allowed.
    create({ ...song, input: { gpt_description_prompt: "rain", prompt: "x", tags: "y" } }),
    create({
      ...song,
      input: { continue_clip_id: "c", gpt_description_prompt: "a", make_instrumental: true },
    }),
    create({ ...songB, input: { prompt: "calm", lyrics_type: "generate", seed: 4 } }),
    create({ ...lyrics, input: { prompt: "rain" }, audio_format: "mp3" }),
    create({ ...upload, input: { url: "https://example.com/a.mp3" } }),
    create({ ...concat, input: { clip_id: "c" } }),
    // Absent and undefined are the same.
    create({ ...song, input: { tags: "fado", title: undefined }, audio_format: undefined }),
  ];
});

test("any request for a song is a MusicRequest, and creditsFor takes every request", () => {
  const songs: MusicRequest[] = [
    { ...song, input: { gpt_description_prompt: "rain" } },
    { ...song, input: { tags: "fado" } },
    { ...song, input: { continue_clip_id: "c" } },
    { ...songB, input: { prompt: "calm" } },
  ];
  // @ts-expect-error lyrics are not a song
  songs.push({ ...lyrics, input: { prompt: "rain" } });
  void [...songs.map(creditsFor), creditsFor(given<TaskRequest>())];
  void [
    creditsFor({ ...lyrics, input: { prompt: "rain" }, audio_format: "mp3" }),
    creditsFor({ model: "provider_a", task_type: "music", input: { tags: "fado" } }),
    creditsFor({ model: given<Model>(), task_type: given<TaskType>() }),
  ];
  // @ts-expect-error a misspelled field
  creditsFor({ ...lyrics, input: { prompt: "rain" }, audio_fromat: "mp3" });
  // @ts-expect-error the request itself, not its fields one by one
  creditsFor("provider_a", "music");
  // @ts-expect-error no such task type
  creditsFor({ model: "provider_a", task_type: "video" });
});

test("a request may come from a variable", () => {
  const request = given<TaskRequest>();
  const options = given<RunOptions>();
  const song = { model: "provider_a", task_type: "music", input: { tags: "fado" } } as const;
  const typed: TaskRequest = { model: "provider_b", task_type: "music", input: { prompt: "calm" } };
  void [tasks.create(request), tasks.run(request, options), tasks.run(song), tasks.create(typed)];
});

test("a create has `withResponse` only if its options cannot have a journal", () => {
  const request = given<TaskRequest>();
  const journal = given<Journal | undefined>();
  void [tasks.create(request).withResponse(), tasks.create(request, { timeoutMs: 1 }).withResponse()];
  void tasks.create(request, given<RequestOptions>()).withResponse();
  const journaled = tasks.create(request, { journal, journalKey: "order-1" });
  assertTrue<Equals<typeof journaled, Promise<TaskSubmission>>>();
  // @ts-expect-error the options of `run` may have a journal
  void tasks.create(request, given<RunOptions>()).withResponse();
  // @ts-expect-error a key without a journal rejects
  void tasks.create(request, { journalKey: "order-1" }).withResponse();
});

test("a function with the parameters of create can be called without options", () => {
  const create = (...call: Parameters<typeof tasks.create>) => tasks.create(...call);
  void [create(given<TaskRequest>()), create(given<TaskRequest>(), given<CreateOptions>())];
});

test("a request in a variable that satisfies TaskRequest has no misspelled field, and keeps its type", () => {
  const input = { gpt_description_prompt: "rain" };
  const checked = { model: "provider_a", task_type: "music", input } as const satisfies TaskRequest;
  const song = tasks.run(checked);
  assertTrue<Equals<Awaited<typeof song>, SucceededTask<"music">>>();
  // @ts-expect-error `format` instead of `audio_format`
  void ({ ...checked, format: "mp3" } as const satisfies TaskRequest);
  // @ts-expect-error `instrumental` instead of `make_instrumental`
  void ({ ...checked, input: { ...input, instrumental: true } } as const satisfies TaskRequest);
});

test("a request from a variable must not have a field of the other model", () => {
  const words = { ...lyrics, input: { prompt: "rain", lyrics: "la" } } as const;
  const file = { ...upload, input: { url: "https://example.com/a.mp3", seed: 1 } } as const;
  const whole = { ...concat, input: { clip_id: "c", lyrics_type: "user" } } as const;
  // @ts-expect-error `lyrics` is a field of provider_b
  void tasks.create(words);
  // @ts-expect-error `seed` is a field of provider_b
  void tasks.create(file);
  // @ts-expect-error `lyrics_type` is a field of provider_b
  void tasks.create(whole);
});

test("a song whose mode depends on a value that may be undefined compiles", () => {
  const text = given<string | undefined>();
  void [
    create({ ...song, input: { tags: "fado", continue_clip_id: text } }),
    create({ ...song, input: { prompt: "la la", gpt_description_prompt: text } }),
    create({ ...song, input: { gpt_description_prompt: "rain", continue_clip_id: text } }),
    // @ts-expect-error without a description it has no mode
    create({ ...song, input: { gpt_description_prompt: text } }),
    // @ts-expect-error a description is text
    create({ ...song, input: { tags: "fado", gpt_description_prompt: 5 } }),
    // @ts-expect-error a clip is named by its id
    create({ ...song, input: { tags: "fado", continue_clip_id: null } }),
  ];
});

test("a request whose model is known only at run time compiles if its input fits both models", () => {
  const model = given<Model>();
  const typed: TaskRequest = { model, task_type: "music", input: { prompt: "calm", tags: "fado" } };
  const either = { model, task_type: "music", input: { prompt: "calm" } } as const;
  void [
    tasks.run({ model, task_type: "music", input: { prompt: "calm" }, audio_format: "mp3" }),
    create(either),
    create(typed),
    tasks.run(given<MusicRequest>()),
    // @ts-expect-error provider_a has no lyrics
    create({ model, task_type: "music", input: { prompt: "calm", lyrics: "la" } }),
    // @ts-expect-error provider_b has no title
    create({ model, task_type: "music", input: { prompt: "calm", title: "a" } }),
    // @ts-expect-error provider_b needs a prompt
    create({ model, task_type: "music", input: { tags: "fado" } }),
    // @ts-expect-error provider_b has songs only
    create({ model, task_type: "lyrics", input: { prompt: "rain" } }),
  ];
});

test("a function that is generic in the task type passes its request on", async () => {
  const order = <Type extends TaskType>(request: TaskRequest & { task_type: Type }) => {
    void create<Type>(request);
    return tasks.run<Type>(request);
  };
  const ordered = await order({ ...lyrics, input: { prompt: "rain" } });
  const direct = await tasks.run<"lyrics">({ ...lyrics, input: { prompt: "rain" } });
  assertTrue<Equals<typeof ordered, SucceededTask<"lyrics">>>();
  assertTrue<Equals<typeof direct, SucceededTask<"lyrics">>>();
  void order({ ...songB, input: { prompt: "calm" } });
});

test("a request that the interface forbids does not compile", () => {
  void [
    // @ts-expect-error neither a description nor lyrics nor styles nor a clip
    create({ ...song, input: {} }),
    // @ts-expect-error an instrumental of nothing
    create({ ...song, input: { make_instrumental: true } }),
    // @ts-expect-error continue_at without a clip to continue
    create({ ...song, input: { continue_at: 5 } }),
    // @ts-expect-error provider_b's lyrics in inspiration mode
    create({ ...song, input: { gpt_description_prompt: "rain", lyrics: "la" } }),
    // @ts-expect-error provider_a's description for provider_b
    create({ ...songB, input: { prompt: "calm", gpt_description_prompt: "rain" } }),
    // @ts-expect-error provider_b needs its prompt
    create({ ...songB, input: { tags: "calm" } }),
    // @ts-expect-error lyrics need a prompt
    create({ ...lyrics, input: {} }),
    // @ts-expect-error no such version
    create({ ...song, input: { tags: "fado", model_version: "v4" } }),
    // @ts-expect-error a function is not JSON
    create({ ...song, input: { tags: "fado", title: () => "x" } }),
    // @ts-expect-error provider_b makes no lyrics
    create({ ...lyrics, model: "provider_b", input: { prompt: "rain" } }),
    // @ts-expect-error provider_b takes no uploads
    create({ ...upload, model: "provider_b", input: { url: "https://example.com/a.mp3" } }),
    // @ts-expect-error provider_b does not concat
    create({ ...concat, model: "provider_b", input: { clip_id: "c" } }),
    // @ts-expect-error no such model
    create({ ...song, model: "provider_c", input: { prompt: "calm" } }),
    // @ts-expect-error no such task type
    create({ ...song, task_type: "video", input: { prompt: "calm" } }),
    // @ts-expect-error no such format
    create({ ...song, input: { tags: "fado" }, audio_format: "wav" }),
    // @ts-expect-error null is no format
    create({ ...song, input: { tags: "fado" }, audio_format: null }),
    // @ts-expect-error no input
    create({ ...song }),
    // @ts-expect-error no model
    create({ task_type: "music", input: { tags: "fado" } }),
    // @ts-expect-error run forbids what create forbids
    tasks.run({ ...songB, input: { prompt: "calm", title: "Calm" } }),
  ];
});

test("options are optional, and each call has its own", () => {
  const signal = given<AbortSignal>();
  const request: RequestOptions = {
    signal,
    timeoutMs: 1,
    maxRetries: 0,
    requestId: "a",
    headers: { "X-A": "b" },
  };
  const onUpdate: WaitOptions["onUpdate"] = (task) => void task.status;
  const wait: WaitOptions = { ...request, pollIntervalMs: [1000, 2000], maxWaitMs: 1, onUpdate };
  const onSubmitted: RunOptions["onSubmitted"] = async ({ task_id }) => void task_id.length;
  const run: RunOptions = { ...wait, pollIntervalMs: 1000, onSubmitted };
  const none: RunOptions = { signal: undefined, pollIntervalMs: undefined, onSubmitted: undefined };
  void [
    tasks.wait("id"),
    tasks.wait("id", {}),
    tasks.wait("id", wait),
    tasks.watch("id", wait),
    tasks.run({ ...lyrics, input: { prompt: "rain" } }, run),
    tasks.run({ ...lyrics, input: { prompt: "rain" } }, none),
    client.account.balance(request),
    client.account.usage(),
    client.audio.download("https://example.com", request),
    // @ts-expect-error one interval or two
    tasks.wait("id", { pollIntervalMs: [1000] }),
    // @ts-expect-error a number is no signal
    tasks.retrieve("id", { signal: 5 }),
    // @ts-expect-error create has nothing to wait for
    create({ ...lyrics, input: { prompt: "rain" } }, { maxWaitMs: 5 }),
    // @ts-expect-error wait submits nothing
    tasks.wait("id", { onSubmitted: () => {} }),
  ];
});
