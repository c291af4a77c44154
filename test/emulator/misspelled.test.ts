import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { describe, expect, test } from "vitest";
import { createControlled } from "./support/control.js";
import { VALID } from "./support/service.js";

/** A call with names that its types refuse, as plain JavaScript makes it. */
const untyped = (value: object): never => value as never;

describe("a misspelled name is refused with the one that was meant", () => {
  const stall = { fault: { kind: "stall" } };
  test.each<[string, (emulator: Emulator) => unknown, string]>([
    [
      "a fault",
      ({ faults }) => faults.add(untyped({ metod: "POST", ...stall })),
      "field `metod` in `fault`. Did you mean `method`?",
    ],
    [
      "the inside of a fault",
      ({ faults }) => faults.add(untyped({ fault: { kind: "status", stauts: 500, when: "before" } })),
      "field `stauts` in `fault.fault`. Did you mean `status`?",
    ],
    [
      "an outcome",
      ({ providers }) => providers.provider_a.next(untyped({ proces_seconds: 4 })),
      "field `proces_seconds` in `outcome`. Did you mean `process_seconds`?",
    ],
    [
      "a lasting outcome",
      ({ providers }) => providers.provider_b.always(untyped({ storeable: false })),
      "field `storeable` in `outcome`. Did you mean `storable`?",
    ],
    [
      "a policy",
      (emulator) => emulator.changePolicy(untyped({ late_sucess: "success" })),
      "field `late_sucess` in `policy`. Did you mean `late_success`?",
    ],
    [
      "limits",
      (emulator) => emulator.changeLimits(untyped({ windowSecond: 5 })),
      "field `windowSecond` in `limits`. Did you mean `windowSeconds`?",
    ],
    [
      "the options of a reset",
      (emulator) => emulator.reset(untyped({ seeed: 5 })),
      "option `seeed`. Did you mean `seed`?",
    ],
    [
      "a policy of a reset",
      (emulator) => emulator.reset(untyped({ policy: { mixed_fields_sets: "reject" } })),
      "field `mixed_fields_sets` in `policy`. Did you mean `mixed_field_sets`?",
    ],
    [
      "a new account",
      ({ accounts }) => accounts.create(untyped({ credit: 5 })),
      "option `credit`. Did you mean `credits`?",
    ],
    [
      "a change of an account",
      ({ accounts, accountId }) => accounts.update(accountId, untyped({ suspend: true })),
      "field `suspend` in `account`. Did you mean `suspended`?",
    ],
    [
      "a top-up",
      ({ accounts, accountId }) => accounts.topUp(accountId, untyped({ usd: 1, metod: "card" })),
      "field `metod` in `top_up`. Did you mean `method`?",
    ],
    [
      "billing information",
      ({ accounts, accountId }) => accounts.setBilling(accountId, untyped({ name: "A", adress_line_1: "B" })),
      "field `adress_line_1` in `billing`. Did you mean `address_line_1`?",
    ],
    [
      "the automatic top-up",
      ({ accounts, accountId }) =>
        accounts.setAutoTopUp(accountId, untyped({ enabled: true, treshold_credits: 50 })),
      "field `treshold_credits` in `auto_top_up`. Did you mean `threshold_credits`?",
    ],
    [
      "a connection",
      (emulator) => emulator.connection(untyped({ apikey: "emu_other" })),
      "option `apikey`. Did you mean `apiKey`?",
    ],
    [
      "a policy at the creation",
      () => createEmulator({ policy: untyped({ late_sucess: "success" }) }),
      "field `late_sucess` in `policy`. Did you mean `late_success`?",
    ],
    [
      "limits at the creation",
      () => createEmulator({ limits: untyped({ request: 5 }) }),
      "field `request` in `limits`. Did you mean `requests`?",
    ],
  ])("in %s", (_, call, message) => {
    const emulator = createEmulator();
    const before = JSON.stringify(emulator.snapshot());
    expect(() => call(emulator)).toThrow(new RangeError(`Unknown ${message}`));
    expect(JSON.stringify(emulator.snapshot())).toBe(before);
  });

  test("in the options of a server", async () => {
    await expect(serve(createEmulator(), untyped({ prot: 4010 }))).rejects.toThrow(
      "Unknown option `prot`. Did you mean `port`?",
    );
  });

  test.each([
    ["POST", "/faults", { metod: "POST", ...stall }, "field `metod` in `body`. Did you mean `method`?"],
    [
      "PATCH",
      "/policy",
      { late_sucess: "success" },
      "field `late_sucess` in `body`. Did you mean `late_success`?",
    ],
    [
      "PATCH",
      "/limits",
      { window_second: 5 },
      "field `window_second` in `body`. Did you mean `window_seconds`?",
    ],
    ["PUT", "/providers/provider_a/always", { clip: 1 }, "field `clip` in `body`. Did you mean `clips`?"],
    ["POST", "/clock/advance", { second: 1 }, "field `second` in `body`. Did you mean `seconds`?"],
    ["POST", "/accounts", { credit: 1 }, "field `credit` in `body`. Did you mean `credits`?"],
  ])("through the control plane: %s %s", async (method, path, body, message) => {
    const { control } = createControlled();
    const { status, body: answer } = await control(method, path, body);
    expect([status, answer.message]).toEqual([400, `Unknown ${message}`]);
  });

  test("in the header that asks for an outcome", async () => {
    const { post } = createControlled();
    const { status, body } = await post(VALID.song, { "X-Emulator-Outcome": '{"clip":1}' });
    expect([status, body.message]).toEqual([
      400,
      "Failed to read X-Emulator-Outcome: Unknown field `clip` in `outcome`. Did you mean `clips`?",
    ]);
  });
});

test("a name like no other is answered with all that there are, and a long one is cut", () => {
  const { faults } = createEmulator();
  expect(() => faults.add(untyped({ zzz: 1, fault: { kind: "stall" } }))).toThrow(
    "Unknown field `zzz` in `fault`. Known: method, path, times, probability, fault.",
  );
  expect(() => createEmulator(untyped({ ["z".repeat(100_000)]: 1 }))).toThrow(/^.{0,300}$/);
});
