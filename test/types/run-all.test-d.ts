import type * as sdk from "async-music";
import { isMusic, memoryJournal } from "async-music";
import { fileJournal } from "async-music/node";
import { test } from "vitest";
import { assertFalse, assertTrue, type Equals, given, type HoldsAny } from "./support.js";

const { tasks } = given<sdk.AsyncMusic>();

test("the result of each run follows its request", async () => {
  const lyrics = [{ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } }] as const;
  for await (const { task, error, index, request } of tasks.runAll(lyrics)) {
    assertTrue<Equals<typeof index, number>>();
    assertTrue<Equals<typeof request.task_type, "lyrics">>();
    if (task !== undefined) assertTrue<Equals<typeof task.output.result, sdk.Lyrics>>();
    if (error === undefined) assertFalse<Equals<typeof task, never>>();
  }

  for await (const result of tasks.runAll([
    { model: "provider_a", task_type: "music", input: { tags: "fado" } },
    { model: "provider_b", task_type: "music", input: { prompt: "calm" } },
  ])) {
    if (result.task) assertTrue<Equals<typeof result.task.output.result, sdk.Clip[]>>();
  }

  for await (const result of tasks.runAll([
    { model: "provider_a", task_type: "music", input: { tags: "fado" } },
    { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } },
  ])) {
    const { task } = result;
    if (task?.type === "lyrics") assertTrue<Equals<typeof task.output.result, sdk.Lyrics>>();
    if (task && isMusic(task)) assertTrue<Equals<typeof task.output.result, sdk.Clip[]>>();
    if (result.task?.type === "lyrics") result.task.output.result.text;
    // @ts-expect-error it may be lyrics
    task?.output.result[0];
  }

  for await (const { task } of tasks.runAll(given<AsyncIterable<sdk.TaskRequest>>())) {
    assertTrue<Equals<NonNullable<typeof task>["output"]["result"], sdk.Lyrics | sdk.Clip[]>>();
  }
});

test("requests whose model is known only at run time compile in a batch", () => {
  const model = given<"provider_a" | "provider_b">();
  const rows = given<{ prompt: string }[]>();
  tasks.runAll(rows.map(({ prompt }) => ({ model, task_type: "music", input: { prompt } })));
  // @ts-expect-error provider_b has no title
  tasks.runAll(rows.map(({ prompt }) => ({ model, task_type: "music", input: { prompt, title: "a" } })));
});

test("requests that the service forbids do not compile in a batch either", () => {
  // @ts-expect-error provider_b has no lyrics
  tasks.runAll([{ model: "provider_b", task_type: "lyrics", input: { prompt: "rain" } }]);
  // @ts-expect-error one request is not a batch
  tasks.runAll({ model: "provider_a", task_type: "music", input: { tags: "fado" } });
});

test("a journal's key names a run, and each run of a batch", () => {
  const request = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
  const journal: sdk.Journal = given<boolean>() ? memoryJournal() : fileJournal("journal");
  void tasks.run(request, { journal, journalKey: "order-1", probe: true });
  tasks.runAll([request], { journal, journalKey: ({ input }, index) => `${input.prompt} ${index}` });
  // @ts-expect-error a batch has many keys
  tasks.runAll([request], { journal, journalKey: "order-1" });
});

test("an entry narrows by its state", () => {
  const entry = given<sdk.JournalEntry>();
  if (entry.state === "submitted") assertTrue<Equals<typeof entry.task_id, string>>();
  // @ts-expect-error an intent has no task
  else entry.task_id;
  assertTrue<Equals<sdk.SubmissionOutcomeUnknownError["evidence"], sdk.Evidence | null>>();
});

test("no type of `runAll` contains any", () => {
  assertFalse<HoldsAny<sdk.RunOptions | sdk.RunAllOptions | sdk.RunResult | sdk.RunAllProgress>>();
  assertFalse<HoldsAny<sdk.Journal | sdk.JournalEntry>>();
});
