import { createEmulator, type Emulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { createEventful } from "./support/eventful.js";
import { BALANCE, createControlled, serviceOf, VALID } from "./support/service.js";

test("a snapshot with every kind of record survives JSON byte for byte", async () => {
  const { emulator, control, frozenState } = await createEventful();
  const before = frozenState();
  emulator.reset();
  expect((await control("PUT", "/snapshot", before)).status).toBe(204);
  expect(frozenState()).toBe(before);
  expect(JSON.stringify(emulator.fork().snapshot())).toBe(before);
});

// biome-ignore lint/suspicious/noExplicitAny: each case breaks another part of the state
type Json = any;

const NOT_SNAPSHOTS: [string, (snapshot: Json) => Json][] = [
  ["a list", () => []],
  ["null", () => null],
  ["no state", ({ version, time }) => ({ version, time })],
  ["a list instead of the state", (snapshot) => ({ ...snapshot, state: [] })],
  ["another version", (snapshot) => ({ ...snapshot, version: 2 })],
  ["an unknown field", (snapshot) => ({ ...snapshot, extra: 1 })],
];

/** The last one is the end of the range of dates. */
const TIMES = ["yesterday", "9900-01-01T00:00:00.001Z", "+275760-09-13T00:00:00.000Z"];

/** Lists of the state, whose entries have IDs. */
const ID_LISTS: [string, (state: Json) => Json[]][] = [
  ["accounts", ({ accounts }) => accounts.map(({ id }: Json) => id)],
  ["tasks", ({ tasks }) => tasks.map(({ id }: Json) => id)],
  ["payments", ({ accounts }) => accounts[0].purchases.payments.map(({ payment_id: id }: Json) => id)],
];

/** Another text in place of each occurrence of this one. */
const replaced = (snapshot: Json, from: string, to: string) =>
  JSON.parse(JSON.stringify(snapshot).replaceAll(from, to));

/** What is wrong, where it stands in the state, and the value there, or what makes it; `undefined` removes the field. */
const BROKEN_STATES: [string, string, Json][] = [
  ["an unknown field in the state", "extra", 1],
  ["a missing field in the state", "audit", undefined],
  ["an unknown policy", "policy.late_success", "maybe"],
  ["invalid limits", "limits.requests", 0],
  ["an unknown owner", "owner.accountId", "unknown"],
  ["two accounts with one id", "accounts.1.id", (_: Json, { accounts }: Json) => accounts[0].id],
  ["a task of an unknown account", "tasks.0.accountId", "unknown"],
  ["tasks out of order", "tasks", (tasks: Json) => tasks.toReversed()],
  ["an unknown status", "tasks.0.status", "done"],
  ["an unfinished task with a completion time", "tasks.-1.completedAt", 1],
  ["credits without an entry", "accounts.0.ledger.available", oneMore],
  ["an entry without its credits", "accounts.0.ledger.entries", (entries: Json) => entries.slice(1)],
  ["an entry of an unknown task", "accounts.0.ledger.entries.1.task_id", "unknown"],
  ["credits frozen for another task", "accounts.0.ledger.entries", ofOneTask],
  ["a failure whose credits are settled", "accounts.0.ledger", paidFailure],
  ["an API key that looks like a real one", "accounts.0.keys.0.value", "sk_live_123"],
  ["an API key that is invalid in a header", "owner.apiKey", (key: Json) => `${key}\n`],
  ["credits below zero", "accounts.0.ledger.available", -5],
  ["more credits used than all tasks cost", "accounts.0.creditsUsed", oneMore],
  ["a wrong number of tasks", "accounts.0.tasksCreated", oneMore],
  ["a success whose plan is a failure", "tasks.0.plan.end", { outcome: "hang" }],
  ["a song with a lyrics result", "tasks.0.result", { title: "", text: "" }],
  ["a continuation of an unknown clip", "tasks.0.input", { continue_clip_id: "none" }],
  ["a continuation of itself", "tasks.0.input.continue_clip_id", firstClip],
  ["two clips with one id", "tasks.0.result.1.id", firstClip],
  ["an endless song", "tasks.0.result.0.durationSeconds", 1e9],
  ["a plan with too many clips", "tasks.0.plan.end.clips", 1e15],
  ["a plan that ends beyond the range of dates", "tasks.0.plan.workMs", 9e15],
  ["a hold of an unknown task", "accounts.1.ledger.holds.unknown", 5],
  ["an unknown fault", "faults.0.rule.fault.kind", "quake"],
  ["an unknown outcome", "scripts.provider_a.next.0.outcome", "?"],
  ["a payment without its invoice", "accounts.0.purchases.payments.0.invoice_id", null],
  ["a wrong number of payments", "counts.payments", 0],
  ["an invalid log", "requests", ["GET /"]],
  ["an unknown kind of window", "accounts.0.keys.0.window.kind", "square"],
];

const INVALID: [what: string, change: (snapshot: Json) => Json, message?: string][] = [
  ...NOT_SNAPSHOTS,
  ...TIMES.map((time): (typeof INVALID)[number] => [
    `the time ${time}`,
    (snapshot) => ({ ...snapshot, time }),
    "`snapshot.time`",
  ]),
  ...BROKEN_STATES.map(([what, path, value]): (typeof INVALID)[number] => [
    what,
    (snapshot) => withField(snapshot, path, value),
  ]),
  ...ID_LISTS.map(([what, idsIn]): (typeof INVALID)[number] => [
    `two ${what} whose ids differ only in case`,
    (snapshot) => {
      const [one, other] = idsIn(snapshot.state);
      return replaced(snapshot, other, one.toUpperCase());
    },
  ]),
];

test.each(INVALID)(
  "an invalid snapshot is refused, and changes nothing: %s",
  async (_, change, message = "") => {
    const { emulator, control, frozenState } = await createEventful();
    const before = frozenState();
    const broken = change(structuredClone(emulator.snapshot()));
    const { status, body } = await control("PUT", "/snapshot", broken);
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    expect(() => emulator.restore(broken)).toThrow(
      expect.objectContaining({ name: "RangeError", message: expect.stringContaining(message) }),
    );
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

test("a snapshot can be larger than the limit of request bodies", async () => {
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

test("a snapshot with IDs in upper case is restored as it is, and its IDs are found in any case", async () => {
  const { emulator } = await createEventful();
  const [account] = emulator.accounts.list();
  const [task] = emulator.state().tasks;
  const ids = [account?.account_id ?? "", account?.keys[0]?.key_id ?? "", task?.task_id ?? ""];
  ids.push(emulator.accounts.payments(emulator.accountId)[0]?.payment_id ?? "");
  const upper = ids.reduce<Json>((json, id) => replaced(json, id, id.toUpperCase()), emulator.snapshot());
  const restored = createEmulator({ snapshot: upper });
  expect(restored.fork().snapshot()).toEqual(upper);
  expect(createEmulator({ snapshot: upper, apiKey: "emu_other" }).apiKey).toBe("emu_other");
  expect(restored.accountId).toBe(ids[0]?.toUpperCase());
  for (const [accountId = "", keyId = "", taskId = "", paymentId = ""] of [
    ids,
    ids.map((id) => id.toUpperCase()),
  ]) {
    expect(restored.accounts.get(accountId)).toMatchObject({ account_id: restored.accountId });
    expect(restored.accounts.updateKey(accountId, keyId, { disabled: false })).toBeDefined();
    expect(await restored.when(taskId, "success")).toBeDefined();
    expect((await serviceOf(restored).read(taskId)).task_id).toBe(ids[2]?.toUpperCase());
    const settle = () => restored.accounts.updateTopUp(accountId, paymentId, { status: "refused" });
    expect(settle).toThrow("already completed");
  }
});

describe("an API key with a snapshot", () => {
  const statusWith = async (emulator: Emulator, apiKey: string) =>
    (await serviceOf(emulator, { apiKey }).get(BALANCE)).status;

  test("replaces the first account's, even a disabled or deleted one", async () => {
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

  test("can be another key of that account, but not of another account", async () => {
    const first = createEmulator();
    const mine = first.accounts.createKey(first.accountId).api_key;
    const theirs = first.accounts.create().api_key;
    const next = createEmulator({ snapshot: first.snapshot(), apiKey: mine });
    expect([next.apiKey, await statusWith(next, mine)]).toEqual([mine, 200]);
    expect(() => createEmulator({ snapshot: first.snapshot(), apiKey: theirs })).toThrow(RangeError);
  });
});
