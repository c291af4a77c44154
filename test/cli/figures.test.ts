import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { AsyncMusic } from "../../src/index.js";
import { createTerminal } from "./support/terminal.js";

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "sea" } } as const;
const SONG = { model: "provider_b", task_type: "music", input: { prompt: "sea" } } as const;

const steps = fc.array(
  fc.oneof(
    fc.record({
      request: fc.constantFrom(LYRICS, SONG),
      outcome: fc.constantFrom("success" as const, "failure" as const, "hang" as const),
      isAwaited: fc.boolean(),
    }),
    fc.record({ usd: fc.integer({ min: 10, max: 20 }) }),
  ),
  { minLength: 1, maxLength: 8 },
);

describe("the figures of `balance` and `usage`", () => {
  test("agree with the ledger after any history of tasks, refunds and top-ups", async () => {
    const property = fc.asyncProperty(steps, async (history) => {
      await using emulator = createEmulator({ seed: 1, credits: 200 });
      const { accounts, accountId, providers } = emulator;
      const client = new AsyncMusic(emulator.connection());
      for (const step of history) {
        if ("usd" in step) {
          await accounts.topUp(accountId, { method: "card", usd: step.usd });
          continue;
        }
        for (const provider of Object.values(providers)) provider.always({ outcome: step.outcome });
        const { task_id: id } = await client.tasks.create(step.request);
        if (step.isAwaited) await client.tasks.wait(id).catch(() => {});
      }
      const { run } = createTerminal(emulator);
      const balance = JSON.parse((await run("balance", "--json")).stdout);
      const usage = JSON.parse((await run("usage", "--json")).stdout);
      const sum = { freeze: 0, settle: 0, refund: 0 };
      const { ledger } = accounts.get(accountId);
      for (const { kind, credits } of ledger)
        if (kind === "freeze" || kind === "settle" || kind === "refund") sum[kind] += Math.abs(credits);
      const toppedUp = history.reduce((total, step) => total + ("usd" in step ? 100 * step.usd : 0), 200);
      const frozen = sum.freeze - sum.settle - sum.refund;
      const available = toppedUp - sum.freeze + sum.refund;
      expect(balance).toEqual({ available, frozen, total: available + frozen });
      expect(usage).toMatchObject({ credits_used: sum.freeze, credits_topped_up: toppedUp });
      expect(usage.tasks_created).toBe(ledger.filter(({ kind }) => kind === "freeze").length);
    });
    await fc.assert(property, { numRuns: 15 });
  });
});
