import { expect } from "vitest";
import {
  InsufficientCreditsError,
  type TaskErrorCode,
  TaskFailedError,
  TaskTimedOutError,
} from "../../../src/index.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { LYRICS, MINUTE, type Open, PROVIDER_B_SONG, SONG } from "../world.js";

/** Polls of which an hour holds few; with its jitter one still comes in the five minutes between that hour and the end of the wait. */
const SELDOM = { pollIntervalMs: 4 * MINUTE } as const;

/** How a task can fail, and whether the same request may be sent again. */
const FAILURES: readonly [code: TaskErrorCode, retryable: boolean][] = [
  ["content_moderation", true],
  ["invalid_task_input", false],
  ["rate_limited", false],
  ["upstream_provider_error", true],
];

export function describeCredits(open: Open, { describe, it }: Kit): void {
  describe("credits", () => {
    it("are available before, frozen during and spent after a task", async () => {
      const { client } = await open({ credits: 30 });
      expect(await client.account.balance()).toEqual({ available: 30, frozen: 0, total: 30 });
      const submission = await client.tasks.create(SONG);
      expect(await client.account.balance()).toEqual({ available: 20, frozen: 10, total: 30 });
      await client.tasks.wait(submission);
      expect(await client.account.balance()).toEqual({ available: 20, frozen: 0, total: 20 });
      expect(await client.account.usage()).toEqual({
        tasks_created: 1,
        credits_used: 10,
        credits_topped_up: 30,
      });
    });

    it.each(FAILURES)(
      "come back when a task fails by %s, with all that the service said",
      async (code, retryable) => {
        const { client, emulator } = await open({ credits: 30 });
        emulator.providers.provider_a.next({
          outcome: "failure",
          process_seconds: 3,
          error_code: code,
          retryable,
          retry_after_seconds: 9,
        });
        const error = await rejection(client.tasks.run(SONG), TaskFailedError);
        expect(error).toMatchObject({ errorCode: code, retryable, retryAfterSeconds: 9 });
        expect(error.task).toMatchObject({ status: "failure", error_code: code, credits_cost: 10 });
        expect(error.taskId).toBe(error.task.task_id);
        expect(await client.account.balance()).toEqual({ available: 30, frozen: 0, total: 30 });
        expect(await client.account.usage()).toEqual({
          tasks_created: 1,
          credits_used: 10,
          credits_topped_up: 30,
        });
      },
    );

    it("come back when a task times out, an hour later", async () => {
      const { client, emulator } = await open({ credits: 30 });
      emulator.providers.provider_b.next({ outcome: "hang" });
      const beganAt = emulator.clock.now();
      const error = await rejection(client.tasks.run(PROVIDER_B_SONG, SELDOM), TaskTimedOutError);
      expect(error).toBeInstanceOf(TaskFailedError);
      const { timeout_error_code: errorCode, timeout_retryable: retryable } = emulator.policy;
      expect(error).toMatchObject({ errorCode, retryable });
      expect(error.task).toMatchObject({ status: "timeout" });
      expect(emulator.clock.now() - beganAt).toBeGreaterThan(3_600_000);
      expect(await client.account.balance()).toEqual({ available: 30, frozen: 0, total: 30 });
      expect(emulator.audit()).toEqual([]);
    });

    it("run out: the task that they do not pay is refused, and changes nothing", async () => {
      const { client } = await open({ credits: 19 });
      await client.tasks.create(SONG);
      const error = await rejection(client.tasks.create(SONG), InsufficientCreditsError);
      expect(error).toMatchObject({ status: 402, errorCode: "insufficient_credits" });
      expect(await client.account.balance()).toEqual({ available: 9, frozen: 10, total: 19 });
      expect(await client.tasks.create(LYRICS)).toMatchObject({ credits_charged: 5 });
    });

    it("are never spent twice: each task is frozen once, and settled or refunded once", async () => {
      const { client, emulator } = await open({ credits: 200 });
      emulator.providers.provider_a.next({ outcome: "failure" });
      const runs = await Promise.allSettled(Array.from({ length: 15 }, () => client.tasks.run(SONG, SELDOM)));
      expect(runs.map(({ status }) => status).sort()).toEqual([...Array(14).fill("fulfilled"), "rejected"]);
      const { balance, ledger } = emulator.accounts.get(emulator.accountId);
      expect(balance).toEqual({ available: 60, frozen: 0, total: 60 });
      const kinds = ledger.map(({ kind }) => kind).sort();
      expect(kinds).toEqual([...Array(15).fill("freeze"), "refund", ...Array(14).fill("settle"), "top_up"]);
    });
  });
}
