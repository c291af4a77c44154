import { TaskFailedError, type TaskSubmission, WaitTimeoutError } from "async-music";
import { expect, test } from "vitest";
import { MemoryPacer } from "../../src/rate-limit/memory-pacer.js";
import { interleave, type Stage } from "../support/interleavings.js";
import { SONG_REQUEST } from "../support/responses.js";

/** A request and its response take up to 8 s. */
const SLOWEST_READ_MS = 8000;

/** A client that has submitted a song, and its pacer. */
async function submitSong({ emulator, clock, client, pick }: Stage) {
  const pacer = new MemoryPacer(clock);
  const own = client({ pacer });
  const outcome = pick("success", "success", "failure" as const);
  const process_seconds = pick(0, 2, 17, 60, 200);
  emulator.providers.provider_a.next({ outcome, queue_seconds: 0, process_seconds });
  const submission = await own.tasks.create(SONG_REQUEST);
  return {
    own,
    pacer,
    submission,
    outcome,
    endsAt: Date.parse(submission.created_at) + 1000 * process_seconds,
  };
}

test("every wait on a task ends with the task, its own abort or its own time limit, whatever the others do", () =>
  interleave(async (stage) => {
    const { clock, emulator, pick, mayAbort, actors } = stage;
    const { own, pacer, submission, outcome, endsAt } = await submitSong(stage);
    const ended = await actors(async () => {
      const { signal, reason } = mayAbort(90_000);
      const shortest = pick(1000, 1300, 5000);
      const longest = shortest + pick(0, 4000);
      const maxWaitMs = pick(10_000, 60_000, 3_600_000);
      const task = pick<TaskSubmission | string>(submission, submission.task_id);
      const begunAt = clock.now();
      const options = { signal, maxWaitMs, pollIntervalMs: [shortest, longest] as const };
      const wait = own.tasks.wait(task, options);
      const error = await wait.then(() => null).catch((thrown: unknown) => thrown);
      const now = clock.now();
      if (error === reason) return;
      if (error instanceof WaitTimeoutError) {
        expect(now - begunAt).toBeGreaterThanOrEqual(maxWaitMs);
        // The last poll has half a second of real time, in which its response travels on virtual time.
        expect(now - begunAt).toBeLessThanOrEqual(maxWaitMs + 1000 + SLOWEST_READ_MS);
        return;
      }
      if (error !== null) expect(error).toBeInstanceOf(TaskFailedError);
      expect(error === null ? "success" : "failure").toBe(outcome);
      const knownFrom = Math.max(endsAt, begunAt);
      expect(now - knownFrom).toBeLessThanOrEqual(longest + 2 * SLOWEST_READ_MS + 2000);
    });
    for (const each of ended) if (each.status === "rejected") throw each.reason;
    expect(emulator.audit()).toEqual([]);
    await nothingIsSentAnyMore(stage);

    // Each request was counted once, and a later wait reads the task itself.
    const { rateLimit } = await own.account.balance().withResponse();
    expect(pacer.rateLimit().remaining).toBe(rateLimit.remaining);
    const sent = emulator.requests.length;
    await own.tasks.wait(submission.task_id, { maxWaitMs: 600_000 }).catch(() => {});
    expect(emulator.requests.length).toBeGreaterThan(sent);
  }));

test("every watch of a task sees its changes in order, and its last yield is the end", () =>
  interleave(async (stage) => {
    const { actors, delay, pick } = stage;
    const { own, submission, outcome } = await submitSong(stage);
    const ended = await actors(async () => {
      const leavesAfter = pick(1, 2, 100);
      const statuses: string[] = [];
      for await (const { status } of own.tasks.watch(submission, { pollIntervalMs: pick(1000, 5000) })) {
        statuses.push(status);
        await delay();
        if (statuses.length === leavesAfter) break;
      }
      const order = ["pending", "running", outcome];
      const positions = statuses.map((status) => order.indexOf(status));
      expect(positions).toEqual([...positions].sort());
      if (statuses.length < leavesAfter) expect(statuses.at(-1)).toBe(outcome);
    });
    for (const each of ended) if (each.status === "rejected") throw each.reason;
    await nothingIsSentAnyMore(stage);
  }));

test("waits with one client cost no more reads than the most frequent of them alone", () =>
  interleave(async (stage) => {
    const { emulator, clock, pick, actors } = stage;
    const { own, submission } = await submitSong(stage);
    const submittedAt = Date.parse(submission.created_at);
    const shortest = pick(1000, 2000, 5000);
    await actors(() => own.tasks.wait(submission, { pollIntervalMs: shortest }).catch(() => {}));
    const reads = emulator.requests.filter(({ method }) => method === "GET");
    expect(reads.length).toBeLessThanOrEqual(1 + (clock.now() - submittedAt) / shortest);
  }));

test("waits survive a service that fails now and then, and end with the task", () =>
  interleave(async (stage) => {
    const { emulator, actors, pick } = stage;
    const { own, submission, outcome } = await submitSong(stage);
    const fault = pick(
      { kind: "status", status: 500, when: "before" } as const,
      { kind: "disconnect", when: "after" } as const,
      { kind: "malformed" } as const,
    );
    emulator.faults.add({ method: "GET", times: pick(1, 3), fault });
    const ended = await actors(() => own.tasks.wait(submission).then(({ status }) => status));
    for (const each of ended) {
      if (each.status === "rejected") expect(each.reason).toBeInstanceOf(TaskFailedError);
      expect(each.status === "fulfilled" ? "success" : "failure").toBe(outcome);
    }
    expect(emulator.audit()).toEqual([]);
  }));

async function nothingIsSentAnyMore({ emulator, clock }: Stage): Promise<void> {
  await clock.sleep(10_000);
  const sent = emulator.requests.length;
  await clock.sleep(600_000);
  expect(emulator.requests).toHaveLength(sent);
}
