import { describe, expect, it } from "vitest";
import type { Outcome } from "../../emulator/index.js";
import { createService, type EmulatedService } from "./emulated-service.js";
import { SAMPLES, sampleOf } from "./tables/samples.js";
import { OFFERS } from "./tables/service.js";
import { type Credits, TRANSITIONS, type TransitionRow } from "./tables/statuses.js";
import { bodyFor, read, submit } from "./tasks-of-the-emulator.js";

const HOUR_SECONDS = 3600;

const ENTRIES: Readonly<Record<Credits, readonly string[]>> = {
  frozen: ["freeze"],
  settled: ["freeze", "settle"],
  refunded: ["freeze", "refund"],
};

describe("the state machine of the emulator", () => {
  it.each(TRANSITIONS)("$from, $trigger: $to, credits $credits", async ({ from, trigger, to, credits }) => {
    const service = createService();
    const { outcome, firstRead, secondRead } = planFor(from, trigger);
    service.emulator.providers.provider_a.next(outcome);
    const taskId = await submit(service, SAMPLES["provider_a music"]);

    if (firstRead !== null) {
      await service.emulator.clock.advance(firstRead * 1000);
      expect((await read(service, taskId)).data).toMatchObject({ status: from });
    }
    await service.emulator.clock.advance((secondRead - (firstRead ?? 0)) * 1000);
    expect((await read(service, taskId)).data).toMatchObject({ status: to });
    await expectCredits(service, taskId, credits, 10);
  });
});

describe("the credits of every offer", () => {
  const EACH = OFFERS.flatMap((offer) =>
    (["settled", "refunded"] as const).map((credits) => ({ ...offer, offer, end: credits })),
  );

  it.each(EACH)("$type by $model: $credits credits frozen, then $end", async ({ offer, end, credits }) => {
    const service = createService();
    const body = await bodyFor(offer, service);
    const { available, used, tasks } = totals(service);
    const outcome = end === "settled" ? "success" : "failure";
    service.emulator.providers[offer.model].next({ outcome, polls: 1 });
    const taskId = await submit(service, body);
    const usage = { used: used + credits, tasks: tasks + 1 };
    expect(totals(service)).toEqual({ ...usage, available: available - credits, frozen: credits });
    await read(service, taskId);
    const left = end === "settled" ? available - credits : available;
    expect(totals(service)).toEqual({ ...usage, available: left, frozen: 0 });
  });

  it.each(OFFERS)(
    "$type by $model is refused with one credit too few, and accepted with exactly enough",
    async (offer) => {
      const poor = createService({ credits: offer.credits - 1 });
      const refused = { status: 402, body: { error_code: "insufficient_credits" } };
      expect(await poor.post(sampleOf(offer))).toMatchObject(refused);
      expect(totals(poor)).toEqual({ available: offer.credits - 1, frozen: 0, used: 0, tasks: 0 });

      const able = createService({ credits: offer.credits });
      expect(await able.post(sampleOf(offer))).toMatchObject({ status: 202 });
      expect(totals(able)).toEqual({ available: 0, frozen: offer.credits, used: offer.credits, tasks: 1 });
    },
  );
});

/** The scripted outcome and the ages at which the task is read, for the row's transition. */
function planFor(from: TransitionRow["from"], trigger: TransitionRow["trigger"]) {
  const outcome: Outcome = { queue_seconds: 10, process_seconds: 30, outcome: ending(from, trigger) };
  const firstRead = { pending: null, running: 20, success: 40, failure: 40, timeout: HOUR_SECONDS + 1 }[from];
  const secondRead = {
    queued: 5,
    processing: 25,
    completed: 50,
    failed: 50,
    "older than an hour": HOUR_SECONDS + 60,
  }[trigger];
  return { outcome, firstRead, secondRead };
}

function ending(
  from: TransitionRow["from"],
  trigger: TransitionRow["trigger"],
): "success" | "failure" | "hang" {
  if (from === "success" || trigger === "completed") return "success";
  if (from === "failure" || trigger === "failed") return "failure";
  return "hang";
}

async function expectCredits(service: EmulatedService, taskId: string, credits: Credits, price: number) {
  const { accounts, accountId } = service.emulator;
  const entries = accounts.get(accountId).ledger.filter((entry) => entry.task_id === taskId);
  expect(entries.map(({ kind }) => kind)).toEqual(ENTRIES[credits]);
  expect(entries.map((entry) => entry.credits)).toEqual(ENTRIES[credits].map(() => price));
  const available = credits === "refunded" ? 100 : 100 - price;
  const frozen = credits === "frozen" ? price : 0;
  expect(await service.balance()).toEqual({ available, frozen, total: available + frozen });
}

function totals({ emulator }: EmulatedService) {
  const { balance, usage } = emulator.accounts.get(emulator.accountId);
  const { available, frozen } = balance;
  return { available, frozen, used: usage.credits_used, tasks: usage.tasks_created };
}
