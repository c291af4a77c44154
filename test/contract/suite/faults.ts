import { expect } from "vitest";
import type { Fault } from "../../../emulator/index.js";
import { SubmissionOutcomeUnknownError, WaitTimeoutError } from "../../../src/index.js";
import { failWith } from "../../support/faults.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { balanceOf, limitOfStalls, MINUTE, type Open, SONG } from "../world.js";

const TASK = "/api/v1/task";
const TASKS = "/api/v1/task/*";

/** Faults of a POST whose outcome the client cannot know, and whether the task exists. */
type UnknownOutcome = readonly [name: string, fault: Fault, isCreated: boolean, status: number | null];
const UNKNOWN_OUTCOMES: readonly UnknownOutcome[] = [
  ["the connection breaks before the task is created", { kind: "disconnect", when: "before" }, false, null],
  ["the connection breaks after the task is created", { kind: "disconnect", when: "after" }, true, null],
  ["a 500 before the task is created", failWith(500), false, 500],
  ["a 500 after the task is created", failWith(500, "after"), true, 500],
  ["a 503 with Retry-After", { ...failWith(503, "after"), retry_after_seconds: 1 }, true, 503],
  ["a cut response", { kind: "malformed" }, true, 202],
  ["no response", { kind: "stall" }, false, null],
];

/** Faults of a task's reads that a wait survives. */
const OUTAGES: readonly [name: string, fault: Fault][] = [
  ["broken connections", { kind: "disconnect", when: "before" }],
  ["lost responses", { kind: "disconnect", when: "after" }],
  ["500s", failWith(500)],
  ["502s after the read", failWith(502, "after")],
  ["429s with Retry-After", { ...failWith(429), retry_after_seconds: 3 }],
  ["cut responses", { kind: "malformed" }],
  ["late responses", { kind: "latency", ms: 4000 }],
];

export function describeFaults(open: Open, { describe, it }: Kit): void {
  describe("a POST", () => {
    it.each(UNKNOWN_OUTCOMES)("is not retried after %s", async (_, fault, isCreated, status) => {
      const { connect, emulator, arrivals } = await open();
      emulator.faults.add({ method: "POST", path: TASK, fault });
      const client = connect({ timeoutMs: fault.kind === "stall" ? limitOfStalls(emulator) : 30_000 });
      const run = client.tasks.run(SONG, { requestId: "song-1" });
      const error = await rejection(run, SubmissionOutcomeUnknownError);
      expect(error).toMatchObject({ request: SONG, requestId: "song-1", status });
      expect(arrivals("POST")).toHaveLength(1);
      expect(emulator.requests.map((request) => request.request_id)).toEqual(["song-1"]);

      const frozen = isCreated ? 10 : 0;
      expect(await connect().account.balance()).toEqual(balanceOf(1000 - frozen, frozen));
      expect(await connect().account.usage()).toMatchObject({ tasks_created: isCreated ? 1 : 0 });
      expect(emulator.audit()).toEqual([]);
    });

    it("is retried after a 429 once the stated wait is over, and creates one task", async () => {
      const { client, emulator, arrivals } = await open();
      emulator.faults.add({
        method: "POST",
        path: TASK,
        fault: { ...failWith(429), retry_after_seconds: 7 },
      });
      const beganAt = emulator.clock.now();
      await client.tasks.create(SONG);
      expect(arrivals("POST")).toEqual(["POST 429", "POST 202"]);
      expect(emulator.clock.now() - beganAt).toBeGreaterThanOrEqual(7000);
      expect(await client.account.usage()).toMatchObject({ tasks_created: 1 });
      expect(emulator.audit()).toEqual([]);
    });
  });

  describe("a wait", () => {
    it.each(OUTAGES)("survives %s", async (_, fault) => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.next({ process_seconds: 50 });
      emulator.faults.add({ method: "GET", path: TASKS, times: 3, fault });
      expect(await client.tasks.run(SONG)).toMatchObject({ status: "success" });
      expect(emulator.audit()).toEqual([]);
    });

    it("survives an outage of half an hour, and the task is charged once", async () => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.next({ process_seconds: 50 });
      const submission = await client.tasks.create(SONG);
      emulator.faults.add({ path: TASKS, times: 100_000, fault: { kind: "disconnect", when: "before" } });
      const wait = client.tasks.wait(submission, { pollIntervalMs: 5 * MINUTE });
      await emulator.clock.sleep(30 * MINUTE);
      emulator.faults.clear();
      expect(await wait).toMatchObject({ status: "success" });
      const { ledger } = emulator.accounts.get(emulator.accountId);
      expect(ledger.map(({ kind }) => kind)).toEqual(["top_up", "freeze", "settle"]);
      expect(emulator.audit()).toEqual([]);
    });

    it("survives a response that never comes", async () => {
      const { client, emulator, arrivals } = await open();
      const submission = await client.tasks.create(SONG);
      emulator.faults.add({ method: "GET", path: TASKS, fault: { kind: "stall" } });
      const wait = client.tasks.wait(submission, { timeoutMs: limitOfStalls(emulator) });
      expect(await wait).toMatchObject({ status: "success" });
      // The stalled read is in the log without a status, and others follow.
      const [stalled, ...others] = arrivals("GET");
      expect(stalled).toBe("GET null");
      expect(others).not.toHaveLength(0);
      expect(emulator.audit()).toEqual([]);
    });

    it("ends within 1 s of its maxWaitMs, since a response that never comes stops emulator time", async () => {
      const { connect, emulator } = await open();
      emulator.providers.provider_a.always({ outcome: "hang" });
      const client = connect({ timeoutMs: limitOfStalls(emulator) });
      const submission = await client.tasks.create(SONG);
      emulator.faults.add({ method: "GET", path: TASKS, fault: { kind: "stall" } });
      const leave = new AbortController();
      const others = (async () => {
        while (!leave.signal.aborted) await emulator.clock.sleep(MINUTE);
      })();
      // If the test fails, its own error is shown.
      others.catch(() => {});
      const beganAt = emulator.clock.now();
      await rejection(client.tasks.wait(submission, { maxWaitMs: MINUTE / 2 }), WaitTimeoutError);
      expect(emulator.clock.now() - beganAt).toBeLessThanOrEqual(MINUTE / 2 + 1000);
      leave.abort();
      await others;
    });
  });

  describe("a read", () => {
    it("is retried under one request ID when the connection breaks or the service fails", async () => {
      const { client, emulator, arrivals } = await open();
      emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
      emulator.faults.add({ fault: failWith(503) });
      expect(await client.account.balance({ requestId: "b-1" })).toMatchObject({ available: 1000 });
      expect(arrivals()).toEqual(["GET null", "GET 503", "GET 200"]);
      expect(emulator.requests.map((request) => request.request_id)).toEqual(["b-1", "b-1", "b-1"]);
    });

    it("is not retried before the stated wait is over", async () => {
      const { client, emulator } = await open();
      emulator.faults.add({ fault: { ...failWith(503), retry_after_seconds: 20 } });
      const beganAt = emulator.clock.now();
      await client.account.usage();
      expect(emulator.clock.now() - beganAt).toBeGreaterThanOrEqual(20_000);
    });
  });
}
