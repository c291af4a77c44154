import { expect } from "vitest";
import {
  InsufficientCreditsError,
  type TaskErrorCode,
  TaskFailedError,
  TaskTimedOutError,
} from "../../../src/index.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { balanceOf, LYRICS, MINUTE, type Open, PROVIDER_B_SONG, SONG, usageOf } from "../world.js";

/** Few polls in an hour, of which one falls into the five minutes between the task timeout and the end of the wait. */
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
    it("are available before a task, frozen during it, and spent after it", async () => {
      const { client } = await open({ credits: 30 });
      expect(await client.account.balance()).toEqual(balanceOf(30));
      const submission = await client.tasks.create(SONG);
      expect(await client.account.balance()).toEqual(balanceOf(20, 10));
      await client.tasks.wait(submission);
      expect(await client.account.balance()).toEqual(balanceOf(20));
      expect(await client.account.usage()).toEqual(usageOf(1, 10, 30));
    });

    it.each(FAILURES)(
      "are refunded when a task fails with %s, and the error has all that the service states",
      async (code, retryable) => {
        const { client, emulator } = await open({ credits: 30 });
        const reason = { error_code: code, retryable, retry_after_seconds: 9 };
        emulator.providers.provider_a.next({ outcome: "failure", process_seconds: 3, ...reason });
        const error = await rejection(client.tasks.run(SONG), TaskFailedError);
        expect(error).toMatchObject({ errorCode: code, retryable, retryAfterSeconds: 9 });
        expect(error.task).toMatchObject({ status: "failure", error_code: code, credits_cost: 10 });
        expect(error.taskId).toBe(error.task.task_id);
        expect(await client.account.balance()).toEqual(balanceOf(30));
        expect(await client.account.usage()).toEqual(usageOf(1, 10, 30));
      },
    );

    it("are refunded when a task times out after an hour", async () => {
      const { client, emulator } = await open({ credits: 30 });
      emulator.providers.provider_b.next({ outcome: "hang" });
      const beganAt = emulator.clock.now();
      const error = await rejection(client.tasks.run(PROVIDER_B_SONG, SELDOM), TaskTimedOutError);
      expect(error).toBeInstanceOf(TaskFailedError);
      const { timeout_error_code: errorCode, timeout_retryable: retryable } = emulator.policy;
      expect(error).toMatchObject({ errorCode, retryable });
      expect(error.task).toMatchObject({ status: "timeout" });
      expect(emulator.clock.now() - beganAt).toBeGreaterThan(3_600_000);
      expect(await client.account.balance()).toEqual(balanceOf(30));
      expect(emulator.audit()).toEqual([]);
    });

    it("can be too few: the task is refused, and nothing changes", async () => {
      const { client } = await open({ credits: 19 });
      await client.tasks.create(SONG);
      const error = await rejection(client.tasks.create(SONG), InsufficientCreditsError);
      expect(error).toMatchObject({ status: 402, errorCode: "insufficient_credits" });
      expect(await client.account.balance()).toEqual(balanceOf(9, 10));
      expect(await client.tasks.create(LYRICS)).toMatchObject({ credits_charged: 5 });
    });

    it("are frozen once per task, and settled or refunded once", async () => {
      const { client, emulator } = await open({ credits: 200 });
      emulator.providers.provider_a.next({ outcome: "failure" });
      const runs = await Promise.allSettled(Array.from({ length: 15 }, () => client.tasks.run(SONG, SELDOM)));
      expect(runs.map(({ status }) => status).sort()).toEqual([...Array(14).fill("fulfilled"), "rejected"]);
      const { balance, ledger } = emulator.accounts.get(emulator.accountId);
      expect(balance).toEqual(balanceOf(60));
      const kinds = ledger.map(({ kind }) => kind).sort();
      expect(kinds).toEqual([...Array(15).fill("freeze"), "refund", ...Array(14).fill("settle"), "top_up"]);
    });
  });
}
