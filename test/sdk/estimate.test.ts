import { AsyncMusic, InvalidOptionError, type Task, type TaskSubmission, taskEvents } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { beforeEach, expect, test } from "vitest";
import { createOwnPacer } from "../support/own-pacer.js";
import { SONG_REQUEST } from "../support/responses.js";

let emulator: Emulator;
beforeEach(() => {
  emulator = createEmulator({ seed: 1, credits: 5000, limits: { requests: 10_000 } });
  return () => emulator[Symbol.asyncDispose]();
});

/** Lets a client see so many songs end, each after 60 s. */
async function learn(client: AsyncMusic, songs: number) {
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 60 });
  await Promise.all(Array.from({ length: songs }, () => client.tasks.run(SONG_REQUEST)));
}

/** A client that has learned, and a task that takes 300 s. */
async function createLongTask() {
  const client = new AsyncMusic(emulator.connection());
  await learn(client, 60);
  emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 0, process_seconds: 300 });
  return { client, submission: await client.tasks.create(SONG_REQUEST) };
}

test("there is no estimate until 20 tasks of the same model and type have ended", async () => {
  const client = new AsyncMusic(emulator.connection());
  await learn(client, 19);
  const submission = await client.tasks.create(SONG_REQUEST);
  expect(client.tasks.estimate(submission)).toBeNull();
  await client.tasks.wait(submission);
  const next = await client.tasks.create(SONG_REQUEST);
  expect(client.tasks.estimate(next)?.medianSeconds).toBeGreaterThan(50);
  const lyrics = await client.tasks.create({
    ...SONG_REQUEST,
    task_type: "lyrics",
    input: { prompt: "rain" },
  });
  expect(client.tasks.estimate(lyrics)).toBeNull();
});

test.each([
  ["an ID", "8c1a1f0e-6b52-4b1c-9a53-0f2c7c2b7d11"],
  ["a promise", Promise.resolve()],
  ["null", null],
])("%s instead of a task is refused with the rule", (_, given) => {
  const client = new AsyncMusic(emulator.connection());
  const estimate = () => client.tasks.estimate(given as never);
  expect(estimate).toThrow(InvalidOptionError);
  expect(estimate).toThrow("`task` must be a task, or the result of `create`");
});

test("a task or a submission with a broken field gets an estimate, or is refused with the rule", async () => {
  const { client, submission } = await createLongTask();
  const task = await client.tasks.retrieve(submission);
  const broken: unknown[] = [null, undefined, 7, 10n, {}, [], ""];
  const ruled = ["task_id", "type", "model"];
  for (const given of [task, submission, Object.assign({ model: task.model }, submission)])
    for (const field of [...ruled, "status", "created_at", "output", "completed_at"])
      for (const value of broken) {
        const estimate = () => client.tasks.estimate({ ...given, [field]: value });
        const isRefused = ruled.includes(field) && typeof value !== "string";
        const isAbsent = field === "model" && value === undefined;
        if (isRefused && !isAbsent) expect(estimate, `${field}: ${value}`).toThrow(InvalidOptionError);
        else expect(estimate, `${field}: ${value}`).not.toThrow();
      }
});

test("what is left shrinks with the age, and is 0 for a task that is overdue and for one that has ended", async () => {
  const client = new AsyncMusic(emulator.connection());
  await learn(client, 60);
  const submission = await client.tasks.create(SONG_REQUEST);
  const leftAt = async (seconds: number) => {
    await emulator.clock.advance(seconds * 1000);
    return client.tasks.estimate(submission);
  };
  const begun = client.tasks.estimate(submission);
  expect(begun?.medianSeconds).toBeGreaterThan(55);
  expect(begun?.medianSeconds).toBeLessThan(66);
  expect(begun?.p90Seconds).toBeGreaterThanOrEqual(begun?.medianSeconds ?? 0);
  expect((await leftAt(30))?.medianSeconds).toBeCloseTo((begun?.medianSeconds ?? 0) - 30, 1);
  expect(await leftAt(300)).toEqual({ medianSeconds: 0, p90Seconds: 0 });
  const song = await client.tasks.wait(submission);
  expect(client.tasks.estimate(song)).toEqual({ medianSeconds: 0, p90Seconds: 0 });
  expect(client.tasks.estimate(submission)).toEqual({ medianSeconds: 0, p90Seconds: 0 });
});

test("a task that was found unfinished when it was overdue has time left again", async () => {
  const { client, submission } = await createLongTask();
  await emulator.clock.advance(100_000);
  expect(client.tasks.estimate(submission)?.p90Seconds).toBe(0);
  const task = await client.tasks.retrieve(submission);
  expect(client.tasks.estimate(task)?.p90Seconds).toBeGreaterThan(0);
  // The copy does not show when it was read.
  expect(client.tasks.estimate(JSON.parse(JSON.stringify(task)))?.p90Seconds).toBe(0);
  expect(client.tasks.estimate(JSON.parse(JSON.stringify(submission)))).toBeNull();
});

test("while a client waits, each poll counts, also one that found no change", async () => {
  const { client, submission } = await createLongTask();
  const seen: Task[] = [];
  const lefts: number[] = [];
  const polls = () => emulator.requests.filter(({ method }) => method === "GET").length;
  let polled = polls();
  client.on("response", () => {
    const [task] = seen;
    if (task === undefined || polls() === polled) return;
    polled = polls();
    const note = () => lefts.push(client.tasks.estimate(task)?.p90Seconds ?? -1);
    // The last one does not wake up: the emulator is disposed of.
    emulator.clock.sleep(100).then(note, () => {});
  });
  const song = await client.tasks.wait(submission, { onUpdate: (task) => void seen.push(task) });
  expect(song.status).toBe("success");
  // Without the later readings, it would be 0 from the 70th second on.
  expect(lefts.length).toBeGreaterThan(15);
  expect(lefts.slice(15, -1).every((left) => left > 0)).toBe(true);
});

test("the submission that `onSubmitted` receives has the estimate of the task, also while it is awaited", async () => {
  const client = new AsyncMusic(emulator.connection());
  await learn(client, 60);
  emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 0, process_seconds: 300 });
  const lefts: number[] = [];
  const onSubmitted = (submission: TaskSubmission) => {
    const note = () => lefts.push(client.tasks.estimate(submission)?.p90Seconds ?? -1);
    note();
    // By then it would be 0 without the later readings.
    for (const seconds of [150, 250, 350]) emulator.clock.sleep(seconds * 1000).then(note, () => {});
  };
  await client.tasks.run(SONG_REQUEST, { onSubmitted });
  await emulator.clock.advance(100_000);
  expect(lefts).toEqual([expect.closeTo(60, -1), expect.any(Number), expect.any(Number), 0]);
  expect(lefts.slice(0, 3).every((left) => left > 0)).toBe(true);
});

test("a pacer without the method has no estimate", async () => {
  const { pacer } = createOwnPacer();
  const client = new AsyncMusic({ ...emulator.connection(), pacer });
  expect(client.tasks.estimate(await client.tasks.create(SONG_REQUEST))).toBeNull();
});

test("`taskEvents` passes the estimate of each change", async () => {
  const client = new AsyncMusic(emulator.connection());
  await learn(client, 60);
  const submission = await client.tasks.create(SONG_REQUEST);
  const events = taskEvents(client.tasks.watch(submission), (task, estimate) => [
    task.status,
    estimate === null ? null : estimate.p90Seconds > 0,
  ]);
  const text = await new Response(events).text();
  const data = [...text.matchAll(/^data: (.+)$/gm)].map(([, json = ""]) => JSON.parse(json));
  expect(data.at(0)).toEqual(["running", true]);
  expect(data.at(-1)).toEqual(["success", false]);
});

test("a `watch` that is not iterated changes no estimate", async () => {
  const { client, submission } = await createLongTask();
  const waiting = client.tasks.wait(submission);
  await emulator.clock.sleep(150_000);
  const before = client.tasks.estimate(submission);
  client.tasks.watch(submission);
  expect(client.tasks.estimate(submission)).toEqual(before);
  expect(before?.p90Seconds).toBeGreaterThan(0);
  await waiting;
});
