import { AsyncMusic, type JournalIntent, memoryBudget, memoryJournal, settleNotCreated } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { START } from "../support/test-clock.js";

const DAY = 24 * 3_600_000;
const SONG = { model: "provider_b", task_type: "music", input: { prompt: "rain" } } as const;

let emulator: Emulator;
let client: AsyncMusic;

/** The client has seen a time that is eight days ahead, which the machine has corrected since. Only its dates are false. */
beforeEach(async () => {
  vi.useFakeTimers({ now: START + 8 * DAY, toFake: ["Date"], shouldAdvanceTime: true });
  emulator = createEmulator({ clock: "real" });
  const { baseUrl, apiKey } = emulator.connection();
  client = new AsyncMusic({ baseUrl, apiKey, fetch: (input, init) => emulator.fetch(input, init) });
  await client.account.balance();
  vi.setSystemTime(START);
  emulator = createEmulator({ clock: "real", apiKey });
});

afterEach(async () => {
  vi.useRealTimers();
  await emulator[Symbol.asyncDispose]();
});

/** As another process has written it at this moment, whose POST is in flight. */
const INTENT: JournalIntent = {
  state: "intent",
  revision: "1",
  at: new Date(START).toISOString(),
  request: SONG,
  request_id: "other",
  tasks_created: 0,
};

test("an intent has the time of the machine", async () => {
  const journal = memoryJournal();
  await client.tasks.create(SONG, { journal, journalKey: "order" });
  const at = Date.parse((await journal.get("order"))?.at ?? "");
  expect(at).toBeGreaterThanOrEqual(START);
  expect(at).toBeLessThan(START + DAY);
});

test("a request of another process that may be in flight is neither judged nor freed", async () => {
  const journal = memoryJournal();
  await journal.put("order", INTENT, null);
  const run = client.tasks.run(SONG, { journal, journalKey: "order", probe: true });
  const checkAgainAt = new Date(START + 120_000);
  await expect(run).rejects.toMatchObject({ checkAgainAt, evidence: null });
  expect(await settleNotCreated(client, journal)).toMatchObject([{ key: "order" }]);
});

test("an order of today is followed", async () => {
  const journal = memoryJournal();
  const { baseUrl, apiKey } = emulator.connection();
  const other = new AsyncMusic({ baseUrl, apiKey, fetch: emulator.fetch });
  emulator.providers.provider_b.next({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  await other.tasks.create(SONG, { journal, journalKey: "order" });
  for await (const { key } of client.tasks.follow(journal, { pollIntervalMs: 1000 })) {
    expect(key).toBe("order");
    break;
  }
});

test("a budget counts in the period of the machine", async () => {
  const budget = memoryBudget({ maxCredits: 5, per: "day" });
  await client.tasks.create(SONG, { tenant: "acme", budget });
  const { until, reserved } = await budget.usage("acme");
  expect([until?.getTime(), reserved]).toEqual([START + DAY - (START % DAY), 5]);
});
