import { createEmulator, type Emulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { createControlled } from "./support/control.js";
import { BALANCE, serviceOf, VALID } from "./support/service.js";

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

const isOfTask = ({ task_id: id }: { task_id: string | null }) => id !== null;

describe("what is no snapshot of this version is refused, and changes nothing", () => {
  // biome-ignore lint/suspicious/noExplicitAny: each case breaks another part of the state
  const breaks: [string, (snapshot: any) => unknown][] = [
    ["no object", () => []],
    ["null", () => null],
    ["no state", ({ version, time }) => ({ version, time })],
    ["another version", (snapshot) => ({ ...snapshot, version: 2 })],
    ["an unknown field", (snapshot) => ({ ...snapshot, extra: 1 })],
    ["no time", (snapshot) => ({ ...snapshot, time: "yesterday" })],
    [
      "a field too many in the state",
      ({ state }) => {
        state.extra = 1;
      },
    ],
    [
      "a field too few in the state",
      ({ state }) => {
        delete state.audit;
      },
    ],
    [
      "an unknown policy",
      ({ state }) => {
        state.policy.late_success = "maybe";
      },
    ],
    [
      "no limits",
      ({ state }) => {
        state.limits.requests = 0;
      },
    ],
    [
      "an owner who is not there",
      ({ state }) => {
        state.owner.accountId = "nobody";
      },
    ],
    [
      "two accounts of one id",
      ({ state }) => {
        state.accounts[1].id = state.accounts[0].id;
      },
    ],
    [
      "a task of nobody's",
      ({ state }) => {
        state.tasks[0].accountId = "nobody";
      },
    ],
    [
      "tasks in disorder",
      ({ state }) => {
        state.tasks.reverse();
      },
    ],
    [
      "a status that there is not",
      ({ state }) => {
        state.tasks[0].status = "done";
      },
    ],
    [
      "an open task that is completed",
      ({ state }) => {
        state.tasks.at(-1).completedAt = 1;
      },
    ],
    [
      "credits from nowhere",
      ({ state }) => {
        state.accounts[0].ledger.available += 1;
      },
    ],
    [
      "credits that are lost",
      ({ state }) => {
        state.accounts[0].ledger.entries.shift();
      },
    ],
    [
      "credits that moved for nobody",
      ({ state }) => {
        state.accounts[0].ledger.entries.find(isOfTask).task_id = "nobody";
      },
    ],
    [
      "credits that were frozen for a task in place of another",
      ({ state }) => {
        for (const entry of state.accounts[0].ledger.entries.filter(isOfTask))
          entry.task_id = state.tasks[0].id;
      },
    ],
    [
      "a failure that was paid for",
      ({ state }) => {
        const [{ ledger }] = state.accounts;
        const refund = ledger.entries.find(({ kind }: { kind: string }) => kind === "refund");
        refund.kind = "settle";
        ledger.settled += refund.credits;
        ledger.available -= refund.credits;
      },
    ],
    [
      "a key that can be mistaken for a real one",
      ({ state }) => {
        state.accounts[0].keys[0].value = "sk_live_123";
      },
    ],
    [
      "a key of the owner's that no header takes",
      ({ state }) => {
        state.owner.apiKey += "\n";
      },
    ],
    [
      "credits below zero",
      ({ state }) => {
        state.accounts[0].ledger.available = -5;
      },
    ],
    [
      "more used than all tasks cost",
      ({ state }) => {
        state.accounts[0].creditsUsed += 1;
      },
    ],
    [
      "a task more than there are",
      ({ state }) => {
        state.accounts[0].tasksCreated += 1;
      },
    ],
    [
      "a success that was to fail",
      ({ state }) => {
        state.tasks[0].plan.end = { outcome: "hang" };
      },
    ],
    [
      "a song that is lyrics",
      ({ state }) => {
        state.tasks[0].result = { title: "", text: "" };
      },
    ],
    [
      "a song that goes on from a clip that is not there",
      ({ state }) => {
        state.tasks[0].input = { continue_clip_id: "none" };
      },
    ],
    [
      "a song that goes on from itself",
      ({ state }) => {
        state.tasks[0].input = { continue_clip_id: state.tasks[0].result[0].id };
      },
    ],
    [
      "two clips of one id",
      ({ state }) => {
        state.tasks[0].result[1].id = state.tasks[0].result[0].id;
      },
    ],
    [
      "a song without end",
      ({ state }) => {
        state.tasks[0].result[0].durationSeconds = 1e9;
      },
    ],
    [
      "a plan of more clips than there is memory",
      ({ state }) => {
        state.tasks[0].plan.end.clips = 1e15;
      },
    ],
    [
      "a plan that ends when there are no dates any more",
      ({ state }) => {
        state.tasks[0].plan.workMs = 9e15;
      },
    ],
    [
      "a hold that nobody has",
      ({ state }) => {
        state.accounts[1].ledger.holds.nobody = 5;
      },
    ],
    [
      "a fault that there is not",
      ({ state }) => {
        state.faults[0].rule.fault.kind = "quake";
      },
    ],
    [
      "an outcome that there is not",
      ({ state }) => {
        state.scripts.provider_a.next[0].outcome = "?";
      },
    ],
    [
      "a payment without its invoice",
      ({ state }) => {
        state.accounts[0].purchases.payments[0].invoice_id = null;
      },
    ],
    [
      "payments that were never counted",
      ({ state }) => {
        state.counts.payments = 0;
      },
    ],
    [
      "a log of something else",
      ({ state }) => {
        state.requests = ["GET /"];
      },
    ],
    [
      "a window of another kind",
      ({ state }) => {
        state.accounts[0].keys[0].window.kind = "square";
      },
    ],
  ];

  test.each(breaks)("%s", async (_, change) => {
    const { emulator, control, frozenState } = await createEventful();
    const snapshot = structuredClone(emulator.snapshot());
    const before = frozenState();
    const changed = change(snapshot);
    const broken = typeof changed === "object" ? changed : snapshot;
    const { status, body } = await control("PUT", "/snapshot", broken);
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    expect(() => emulator.restore(broken as typeof snapshot)).toThrow(RangeError);
    expect(frozenState()).toBe(before);
  });
});

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
