import { type AudioGenerationResult, generateAudio } from "@tanstack/ai";
import { memoryJournal, TaskFailedError } from "async-music";
import { test as base } from "async-music/emulator/vitest";
import { expect, vi } from "vitest";
import { asyncMusicAudio } from "../../examples/tanstack-ai/adapter.js";
import { all } from "../support/collect.js";

const test = base.extend("song", ({ client }) => ({
  adapter: asyncMusicAudio("provider_a", { client, journal: memoryJournal() }),
  prompt: "rain in Lisbon",
  modelOptions: { order: "1" },
  debug: false,
}));

test("a song is the result that TanStack AI describes, with what it cost", async ({ song, emulator }) => {
  const result: AudioGenerationResult = await generateAudio(song);
  const [task] = emulator.state().tasks;
  expect(result).toEqual({
    id: task?.task_id,
    model: "provider_a",
    audio: { url: expect.stringMatching(/^https:/), duration: expect.any(Number) },
    usage: {
      promptTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
      billed: { quantity: 10, unit: "units" },
      cost: 0.1,
    },
  });
  expect(task?.input).toEqual({ gpt_description_prompt: "rain in Lisbon" });
  expect((await fetchAudio(emulator, result)).headers.get("Content-Type")).toBe("audio/wav");
});

test("the other model receives the description as its prompt", async ({ song, client, emulator }) => {
  const adapter = asyncMusicAudio("provider_b", { client, journal: memoryJournal() });
  const { model, usage } = await generateAudio({ ...song, adapter });
  expect([model, usage?.billed?.quantity]).toEqual(["provider_b", 5]);
  expect(emulator.state().tasks[0]?.input).toEqual({ prompt: "rain in Lisbon" });
});

test("a repeated order is the same song, charged once and reported once", async ({ song, emulator }) => {
  const [first, second] = [await generateAudio(song), await generateAudio(song)];
  expect([second.id, second.audio]).toEqual([first.id, first.audio]);
  expect([first.usage?.cost, second.usage]).toEqual([0.1, undefined]);
  expect(emulator.state().tasks).toHaveLength(1);
});

test("a stream has the result at its end, and a page may repeat it", async ({ song, emulator }) => {
  for (let time = 0; time < 2; time++) {
    const chunks = await all(generateAudio({ ...song, stream: true }));
    expect(chunks.map(({ type }) => type)).toEqual(["RUN_STARTED", "CUSTOM", "RUN_FINISHED"]);
    expect(chunks[1]).toMatchObject({ name: "generation:result", value: { model: "provider_a" } });
  }
  expect(emulator.state().tasks).toHaveLength(1);
});

test("a failed task is an error with the service's code, also in a stream", async ({ song, emulator }) => {
  emulator.providers.provider_a.always({ outcome: "failure", error_code: "content_moderation" });
  const failure = { code: "content_moderation", cause: expect.any(TaskFailedError) };
  await expect(generateAudio(song)).rejects.toMatchObject(failure);
  const chunks = await all(generateAudio({ ...song, stream: true }));
  expect(chunks.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "content_moderation" });
  expect(emulator.state().tasks).toHaveLength(1);
});

test("a refusal has the service's code, and an unknown outcome its class; neither is paid again", async ({
  song,
  emulator,
}) => {
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  const order = (name: string) => ({ ...song, modelOptions: { order: name } });
  const unknown = { code: "SubmissionOutcomeUnknownError" };
  await expect(generateAudio(order("lost"))).rejects.toMatchObject(unknown);
  await expect(generateAudio(order("lost"))).rejects.toMatchObject(unknown);
  expect(emulator.state().tasks).toHaveLength(1);
  await expect(generateAudio({ ...order("blank"), prompt: " " })).rejects.toMatchObject({
    code: "InvalidRequestError",
  });
  const fault = { kind: "status", status: 402, error_code: "insufficient_credits", when: "before" } as const;
  emulator.faults.add({ method: "POST", fault });
  await expect(generateAudio({ ...order("poor"), prompt: "snow" })).rejects.toMatchObject({
    code: "insufficient_credits",
  });
});

test("after an abort, the next call for the order continues with its task", async ({
  song,
  client,
  emulator,
}) => {
  const abort = new AbortController();
  client.on("task", () => abort.abort(new DOMException("the page was closed", "AbortError")));
  const onAbort = vi.fn();
  const aborted = { ...song, abortSignal: abort.signal, middleware: [{ name: "watcher", onAbort }] };
  await expect(generateAudio(aborted)).rejects.toThrow("the page was closed");
  expect(onAbort).toHaveBeenCalledOnce();
  const polls = emulator.requests.length;
  await emulator.clock.advance(60_000);
  expect(emulator.requests).toHaveLength(polls);
  const { id } = await generateAudio(song);
  expect(emulator.state().tasks.map(({ task_id }) => task_id)).toEqual([id]);
});

test("a missing order, a duration and another prompt for an order are refused before anything is paid", async ({
  song,
  emulator,
}) => {
  const { modelOptions: _, ...without } = song;
  await expect(generateAudio(without)).rejects.toThrow(/^Missing order\./);
  await expect(generateAudio({ ...song, duration: 30 })).rejects.toThrow(/Remove `duration`/);
  expect(emulator.state().tasks).toEqual([]);
  await generateAudio(song);
  const other = generateAudio({ ...song, prompt: "snow" });
  await expect(other).rejects.toMatchObject({ code: "JournalConflictError" });
  expect(emulator.state().tasks).toHaveLength(1);
});

function fetchAudio(emulator: { fetch: typeof fetch }, { audio }: AudioGenerationResult): Promise<Response> {
  return emulator.fetch(new Request(audio.url ?? ""));
}
