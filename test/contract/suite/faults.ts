import { expect } from "vitest";
import type { Fault } from "../../../emulator/index.js";
import { SubmissionOutcomeUnknownError, WaitTimeoutError } from "../../../src/index.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { limitOfStalls, MINUTE, type Open, SONG } from "../world.js";

const TASK = "/api/v1/task";
const TASKS = "/api/v1/task/*";

/** Trouble with a POST whose outcome the client can't know, and whether the task is there. */
type UnknownOutcome = readonly [name: string, fault: Fault, isCreated: boolean, status: number | null];

const busy = { kind: "status", status: 503, retry_after_seconds: 1, when: "after" } as const;
const UNKNOWN_OUTCOMES: readonly UnknownOutcome[] = [
  [
    "the connection breaks before the service does anything",
    { kind: "disconnect", when: "before" },
    false,
    null,
  ],
  [
    "the connection breaks after the service did everything",
    { kind: "disconnect", when: "after" },
    true,
    null,
  ],
  ["a 500 comes before", { kind: "status", status: 500, when: "before" }, false, 500],
  ["a 500 comes after", { kind: "status", status: 500, when: "after" }, true, 500],
  ["a 503 comes after, with a wait", busy, true, 503],
  ["the answer is cut", { kind: "malformed" }, true, 202],
  ["no answer comes", { kind: "stall" }, false, null],
];

/** Trouble with the reads of a task that a wait outlasts. */
const OUTAGES: readonly [name: string, fault: Fault][] = [
  ["connections that break", { kind: "disconnect", when: "before" }],
  ["answers that get lost", { kind: "disconnect", when: "after" }],
  ["500s", { kind: "status", status: 500, when: "before" }],
  ["502s after the read", { kind: "status", status: 502, when: "after" }],
  ["429s with a wait", { kind: "status", status: 429, retry_after_seconds: 3, when: "before" }],
  ["answers that are cut", { kind: "malformed" }],
  ["answers that are late", { kind: "latency", ms: 4000 }],
];

export function describeFaults(open: Open, { describe, it }: Kit): void {
  describe("a POST in trouble", () => {
    it.each(UNKNOWN_OUTCOMES)("is sent once: %s", async (_, fault, isCreated, status) => {
      const { connect, emulator, arrivals } = await open();
      emulator.faults.add({ method: "POST", path: TASK, fault });
      const client = connect({ timeoutMs: fault.kind === "stall" ? limitOfStalls(emulator) : 30_000 });
      const error = await rejection(
        client.tasks.run(SONG, { requestId: "song-1" }),
        SubmissionOutcomeUnknownError,
      );
      expect(error).toMatchObject({ request: SONG, requestId: "song-1", status });
      expect(arrivals("POST")).toHaveLength(1);
      expect(emulator.requests.map((request) => request.request_id)).toEqual(["song-1"]);

      const frozen = isCreated ? 10 : 0;
      expect(await connect().account.balance()).toEqual({ available: 1000 - frozen, frozen, total: 1000 });
      expect(await connect().account.usage()).toMatchObject({ tasks_created: isCreated ? 1 : 0 });
      expect(emulator.audit()).toEqual([]);
    });

    it("is sent again after a 429, once the stated wait is over, and creates one task", async () => {
      const { client, emulator, arrivals } = await open();
      const fault = { kind: "status", status: 429, retry_after_seconds: 7, when: "before" } as const;
      emulator.faults.add({ method: "POST", path: TASK, fault });
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

    it("survives an outage of half an hour, and pays once", async () => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.next({ process_seconds: 50 });
      const submission = await client.tasks.create(SONG);
      emulator.faults.add({ path: TASKS, times: 100_000, fault: { kind: "disconnect", when: "before" } });
      const wait = client.tasks.wait(submission, { pollIntervalMs: 5 * MINUTE });
      await emulator.clock.sleep(30 * MINUTE);
      emulator.faults.clear();
      expect(await wait).toMatchObject({ status: "success" });
      expect(emulator.accounts.get(emulator.accountId).ledger.map(({ kind }) => kind)).toEqual([
        "top_up",
        "freeze",
        "settle",
      ]);
      expect(emulator.audit()).toEqual([]);
    });

    it("survives an answer that never comes", async () => {
      const { client, emulator, arrivals } = await open();
      const submission = await client.tasks.create(SONG);
      emulator.faults.add({ method: "GET", path: TASKS, fault: { kind: "stall" } });
      const wait = client.tasks.wait(submission, { timeoutMs: limitOfStalls(emulator) });
      expect(await wait).toMatchObject({ status: "success" });
      // The stalled read was one of the wait's own: it is in the log, without an answer, and others came after it.
      const reads = arrivals("GET");
      expect(reads[0]).toBe("GET null");
      expect(reads.slice(1)).not.toHaveLength(0);
      expect(emulator.audit()).toEqual([]);
    });
  });

  describe("an answer that never comes", () => {
    it("holds time up for all until it is given up, so that a wait ends within a second of its maxWaitMs", async () => {
      const { connect, emulator } = await open();
      emulator.providers.provider_a.always({ outcome: "hang" });
      const client = connect({ timeoutMs: limitOfStalls(emulator) });
      const submission = await client.tasks.create(SONG);
      emulator.faults.add({ method: "GET", path: TASKS, fault: { kind: "stall" } });
      const leave = new AbortController();
      const others = (async () => {
        while (!leave.signal.aborted) await emulator.clock.sleep(MINUTE);
      })();
      const beganAt = emulator.clock.now();
      await rejection(client.tasks.wait(submission, { maxWaitMs: MINUTE / 2 }), WaitTimeoutError);
      expect(emulator.clock.now() - beganAt).toBeLessThanOrEqual(MINUTE / 2 + 1000);
      leave.abort();
      await others;
    });
  });

  describe("a read", () => {
    it("is sent again when the connection breaks or the service fails, under one name", async () => {
      const { client, emulator, arrivals } = await open();
      emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
      emulator.faults.add({ fault: { kind: "status", status: 503, when: "before" } });
      expect(await client.account.balance({ requestId: "b-1" })).toMatchObject({ available: 1000 });
      expect(arrivals()).toEqual(["GET null", "GET 503", "GET 200"]);
      expect(emulator.requests.map((request) => request.request_id)).toEqual(["b-1", "b-1", "b-1"]);
    });

    it("is not sent again before the stated wait is over", async () => {
      const { client, emulator } = await open();
      emulator.faults.add({
        fault: { kind: "status", status: 503, retry_after_seconds: 20, when: "before" },
      });
      const beganAt = emulator.clock.now();
      await client.account.usage();
      expect(emulator.clock.now() - beganAt).toBeGreaterThanOrEqual(20_000);
    });
  });
}
