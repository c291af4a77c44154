import { createEmulator, type Emulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { BALANCE, createControlled, serviceOf, VALID } from "./support/service.js";

/** An emulator in which a little of everything has happened. */
async function createEventful() {
  const service = createControlled({ credits: 500, policy: { rate_limit_window: "sliding" } });
  const { emulator, create, read, post, get } = service;
  await read(await create(VALID.song, { polls: 1, alternate_urls: ["https://cdn.example.com/a.wav"] }));
  const lost = await create(VALID.custom, { outcome: "failure", error_code: "content_moderation", polls: 1 });
  await read(lost);
  await read(lost);
  await read(await create(VALID.lyrics, { polls: 1 }));
  const slow = await create(VALID.upload, { outcome: "hang" });
  await read(slow);
  await post(VALID.custom);
  await get("/nowhere");
  emulator.accounts.create({ credits: 5 });
  const { accountId } = emulator;
  emulator.accounts.topUp(accountId, { usd: 20, method: "card" });
  emulator.accounts.topUp(accountId, { usd: 5, method: "crypto", outcome: "pending" });
  const bounds = { threshold_credits: 5_000, recharge_usd: 10, monthly_cap_usd: 20 };
  emulator.accounts.setAutoTopUp(accountId, {
    enabled: true,
    ...bounds,
    ...emulator.accounts.authorize(accountId),
  });
  emulator.accounts.authorize(accountId);
  emulator.accounts.setBilling(accountId, { name: "A", address_line_1: "B", city: "C", country: "D" });
  emulator.faults.add({ method: "POST", probability: 0.5, fault: { kind: "disconnect", when: "after" } });
  emulator.providers.provider_a.next({ outcome: "failure" });
  emulator.providers.provider_b.always({ process_seconds: 3 });
  await emulator.clock.advance(3_600_001);
  await service.balance();
  await create(VALID.providerB).catch(() => {});
  return service;
}

test("a state in which everything has happened goes through JSON and back, byte for byte", async () => {
  const { emulator, control, frozenState } = await createEventful();
  const before = frozenState();
  emulator.reset();
  expect((await control("PUT", "/snapshot", before)).status).toBe(204);
  expect(frozenState()).toBe(before);
  expect(JSON.stringify(emulator.fork().snapshot())).toBe(before);
});

// biome-ignore lint/suspicious/noExplicitAny: each case breaks another part of the state
type Json = any;

const NOT_SNAPSHOTS: [string, (snapshot: Json) => unknown][] = [
  ["no object", () => []],
  ["null", () => null],
  ["no state", ({ version, time }) => ({ version, time })],
  ["a list for a state", (snapshot) => ({ ...snapshot, state: [] })],
  ["another version", (snapshot) => ({ ...snapshot, version: 2 })],
  ["an unknown field", (snapshot) => ({ ...snapshot, extra: 1 })],
  ["no time", (snapshot) => ({ ...snapshot, time: "yesterday" })],
];

/** What is wrong, where it stands in the state, and the value there, or what makes it; `undefined` removes the field. */
const BROKEN_STATES: [string, string, Json][] = [
  ["a field too many in the state", "extra", 1],
  ["a field too few in the state", "audit", undefined],
  ["an unknown policy", "policy.late_success", "maybe"],
  ["no limits", "limits.requests", 0],
  ["an owner who is not there", "owner.accountId", "nobody"],
  ["two accounts of one id", "accounts.1.id", (_: Json, { accounts }: Json) => accounts[0].id],
  ["a task of nobody's", "tasks.0.accountId", "nobody"],
  ["tasks in disorder", "tasks", (tasks: Json) => tasks.toReversed()],
  ["a status that there is not", "tasks.0.status", "done"],
  ["an open task that is completed", "tasks.-1.completedAt", 1],
  ["credits from nowhere", "accounts.0.ledger.available", oneMore],
  ["credits that are lost", "accounts.0.ledger.entries", (entries: Json) => entries.slice(1)],
  ["credits that moved for nobody", "accounts.0.ledger.entries.1.task_id", "nobody"],
  ["credits frozen for one task in place of others", "accounts.0.ledger.entries", ofOneTask],
  ["a failure that was paid for", "accounts.0.ledger", paidFailure],
  ["a key that can be mistaken for a real one", "accounts.0.keys.0.value", "sk_live_123"],
  ["a key of the owner's that no header takes", "owner.apiKey", (key: Json) => `${key}\n`],
  ["credits below zero", "accounts.0.ledger.available", -5],
  ["more used than all tasks cost", "accounts.0.creditsUsed", oneMore],
  ["a task more than there are", "accounts.0.tasksCreated", oneMore],
  ["a success that was to fail", "tasks.0.plan.end", { outcome: "hang" }],
  ["a song that is lyrics", "tasks.0.result", { title: "", text: "" }],
  ["a song that goes on from a clip that is not there", "tasks.0.input", { continue_clip_id: "none" }],
  ["a song that goes on from itself", "tasks.0.input.continue_clip_id", firstClip],
  ["two clips of one id", "tasks.0.result.1.id", firstClip],
  ["a song without end", "tasks.0.result.0.durationSeconds", 1e9],
  ["a plan of more clips than there is memory", "tasks.0.plan.end.clips", 1e15],
  ["a plan that ends when there are no dates any more", "tasks.0.plan.workMs", 9e15],
  ["a hold that nobody has", "accounts.1.ledger.holds.nobody", 5],
  ["a fault that there is not", "faults.0.rule.fault.kind", "quake"],
  ["an outcome that there is not", "scripts.provider_a.next.0.outcome", "?"],
  ["a payment without its invoice", "accounts.0.purchases.payments.0.invoice_id", null],
  ["payments that were never counted", "counts.payments", 0],
  ["a log of something else", "requests", ["GET /"]],
  ["a window of another kind", "accounts.0.keys.0.window.kind", "square"],
];

test.each([...NOT_SNAPSHOTS, ...BROKEN_STATES])(
  "what is no snapshot of this version is refused, and changes nothing: %s",
  async (_, change, value?) => {
    const { emulator, control, frozenState } = await createEventful();
    const snapshot = structuredClone(emulator.snapshot());
    const before = frozenState();
    const broken = typeof change === "function" ? change(snapshot) : withField(snapshot, change, value);
    const { status, body } = await control("PUT", "/snapshot", broken);
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    expect(() => emulator.restore(broken)).toThrow(RangeError);
    expect(frozenState()).toBe(before);
  },
);

function withField(snapshot: Json, path: string, value: Json): Json {
  const names = path.split(".");
  const last = names.pop() ?? "";
  const parent = names.reduce((at, name) => (name === "-1" ? at.at(-1) : at[name]), snapshot.state);
  parent[last] = typeof value === "function" ? value(parent[last], snapshot.state) : value;
  if (value === undefined) delete parent[last];
  return snapshot;
}

function oneMore(number: number): number {
  return number + 1;
}

function firstClip(_: Json, { tasks }: Json): string {
  return tasks[0].result[0].id;
}

function ofOneTask(entries: Json, { tasks }: Json): Json {
  return entries.map((entry: Json) => (entry.task_id === null ? entry : { ...entry, task_id: tasks[0].id }));
}

function paidFailure(ledger: Json): Json {
  const refund = ledger.entries.find(({ kind }: Json) => kind === "refund");
  refund.kind = "settle";
  const { settled, available } = ledger;
  return { ...ledger, settled: settled + refund.credits, available: available - refund.credits };
}

test("a snapshot larger than a request may be is taken all the same", async () => {
  const { emulator, control, get, create } = createControlled({ credits: 1_000_000 });
  for (let index = 0; index < 1_500; index++) {
    await create({ ...VALID.lyrics, input: { prompt: `${index} ${"la ".repeat(300)}` } });
    await get("/nowhere");
  }
  const snapshot = JSON.stringify(emulator.snapshot());
  expect(snapshot.length).toBeGreaterThan(2 ** 20);
  expect((await control("PUT", "/snapshot", snapshot)).status).toBe(204);
  expect(JSON.stringify(emulator.snapshot())).toBe(snapshot);
});

describe("a key that is given beside a snapshot", () => {
  const statusWith = async (emulator: Emulator, apiKey: string) =>
    (await serviceOf(emulator, { apiKey }).get(BALANCE)).status;

  test("takes the place of the first account's, even of one that was disabled or deleted", async () => {
    const first = createEmulator({ apiKey: "emu_first" });
    const { accounts, accountId } = first;
    const [key] = accounts.get(accountId).keys;
    const keyId = key?.key_id ?? "";
    const change: (() => unknown)[] = [
      () => {},
      () => accounts.updateKey(accountId, keyId, { disabled: true }),
      () => accounts.deleteKey(accountId, keyId),
    ];
    for (const each of change) {
      each();
      for (const apiKey of ["emu_first", "emu_other"]) {
        const next = createEmulator({ snapshot: first.snapshot(), apiKey });
        expect([next.apiKey, await statusWith(next, apiKey)]).toEqual([apiKey, 200]);
        if (apiKey !== "emu_first") expect(await statusWith(next, "emu_first")).toBe(401);
        expect(next.fork().snapshot()).toEqual(next.snapshot());
      }
    }
  });

  test("can be another of the account's, and none of another account's", async () => {
    const first = createEmulator();
    const mine = first.accounts.createKey(first.accountId).api_key;
    const theirs = first.accounts.create().api_key;
    const next = createEmulator({ snapshot: first.snapshot(), apiKey: mine });
    expect([next.apiKey, await statusWith(next, mine)]).toEqual([mine, 200]);
    expect(() => createEmulator({ snapshot: first.snapshot(), apiKey: theirs })).toThrow(RangeError);
  });
});
