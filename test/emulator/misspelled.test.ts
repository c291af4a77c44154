import { inspect } from "node:util";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { describe, expect, test } from "vitest";
import { createControlled, VALID } from "./support/service.js";

/** A call with names that its types refuse, as plain JavaScript makes it. */
const untyped = (value: object): never => value as never;
const stall = { fault: { kind: "stall" } };
const status = { kind: "status", stauts: 500, when: "before" };

/** The call, the misspelled name, the one that was meant, and for a field the object inside the argument, if any. */
type Misspelling = [
  call: (emulator: Emulator, accountId: string) => unknown,
  wrong: string,
  meant: string,
  inside?: string,
];

const MISSPELLINGS: Misspelling[] = [
  [({ faults }) => faults.add(untyped({ metod: "POST", ...stall })), "metod", "method", ""],
  [({ faults }) => faults.add(untyped({ fault: status })), "stauts", "status", "fault"],
  [({ providers: { provider_a: a } }) => a.next(untyped({ clip: 4 })), "clip", "clips", ""],
  [({ providers: { provider_b: b } }) => b.always(untyped({ poll: 1 })), "poll", "polls", ""],
  [(each) => each.changePolicy(untyped({ late_sucess: "x" })), "late_sucess", "late_success", ""],
  [(each) => each.changeLimits(untyped({ windowSecond: 5 })), "windowSecond", "windowSeconds", "limits"],
  [(each) => each.reset(untyped({ seeed: 5 })), "seeed", "seed"],
  [(each) => each.reset(untyped({ policy: { late_sucess: 1 } })), "late_sucess", "late_success", "policy"],
  [({ accounts }) => accounts.create(untyped({ credit: 5 })), "credit", "credits"],
  [({ accounts }, id) => accounts.update(id, untyped({ suspend: 1 })), "suspend", "suspended", ""],
  [({ accounts }, id) => accounts.topUp(id, untyped({ metod: "card" })), "metod", "method", ""],
  [({ accounts }, id) => accounts.setBilling(id, untyped({ nam: "A" })), "nam", "name", ""],
  [({ accounts }, id) => accounts.setAutoTopUp(id, untyped({ enable: 1 })), "enable", "enabled", ""],
  [(each) => each.connection(untyped({ apikey: "emu_other" })), "apikey", "apiKey"],
  [() => createEmulator({ policy: untyped({ late_sucess: 1 }) }), "late_sucess", "late_success", "policy"],
  [() => createEmulator({ limits: untyped({ request: 5 }) }), "request", "requests", "limits"],
];

describe("a misspelled name is refused with the nearest known one", () => {
  test.each(MISSPELLINGS)("%s: %s", (call, wrong, meant, inside) => {
    const emulator = createEmulator();
    const before = JSON.stringify(emulator.snapshot());
    const where = inside ? ` in \`${inside}\`` : "";
    const name = `${inside === undefined ? "option" : "field"} \`${wrong}\`${where}`;
    expect(() => call(emulator, emulator.accountId)).toThrow(
      new RangeError(`Unknown ${name}. Did you mean \`${meant}\`?`),
    );
    expect(JSON.stringify(emulator.snapshot())).toBe(before);
  });

  test("in the options of a server", async () => {
    await expect(serve(createEmulator(), untyped({ prot: 4010 }))).rejects.toThrow(
      "Unknown option `prot`. Did you mean `port`?",
    );
  });

  test.each([
    ["providerA", "provider_a"],
    ["providerB", "provider_b"],
    ["provider_A", "provider_a"],
    ["provider-b", "provider_b"],
    ["proivder_a", "provider_a"],
    ["provider", "provider_a"],
  ])("as the name of a provider: %s", (wrong, meant) => {
    const { providers } = createEmulator();
    const message = `Unknown provider \`${wrong}\`. Did you mean \`emulator.providers.${meant}\`?`;
    expect(() => Reflect.get(providers, wrong)).toThrow(new RangeError(message));
  });

  test("what tools read of every object is not the name of a provider", async () => {
    const { providers } = createEmulator();
    expect(await Promise.resolve(providers)).toBe(providers);
    expect(Object.keys(providers)).toEqual(["provider_a", "provider_b"]);
    expect(JSON.stringify(providers)).toBe('{"provider_a":{},"provider_b":{}}');
    expect(inspect(providers)).toContain("provider_a");
    expect(`${providers}`).toBe("[object Object]");
    expect(() => expect(providers).toEqual({})).toThrow("to deeply equal");
  });

  test.each([
    ["PATCH", "/policy", { late_sucess: "success" }, "late_sucess", "late_success"],
    ["PATCH", "/limits", { window_second: 5 }, "window_second", "window_seconds"],
    ["POST", "/clock/advance", { second: 1 }, "second", "seconds"],
  ])("through the control plane: %s %s", async (method, path, body, wrong, meant) => {
    const { control } = createControlled();
    const { status, body: answer } = await control(method, path, body);
    const message = `Unknown field \`${wrong}\`. Did you mean \`${meant}\`?`;
    expect([status, answer.message]).toEqual([400, message]);
  });

  test("in the header X-Emulator-Outcome", async () => {
    const { post } = createControlled();
    const { status, body } = await post(VALID.song, { "X-Emulator-Outcome": '{"clip":1}' });
    expect([status, body.message]).toEqual([
      400,
      "Invalid X-Emulator-Outcome header: Unknown field `clip`. Did you mean `clips`?",
    ]);
  });
});

test("the service's message about a misspelled field of a request ends with the question", async () => {
  const { post } = createControlled();
  const misspelled = { ...VALID.lyrics, input: { promt: "rain" } };
  expect((await post(misspelled)).body.message).toMatch(/: did you mean `prompt`\?$/);
});

test("an unknown name without a near one gets the list of known names, and a long name is cut", () => {
  const { faults } = createEmulator();
  expect(() => faults.add(untyped({ zzz: 1, fault: { kind: "stall" } }))).toThrow(
    "Unknown field `zzz`. Known fields: method, path, times, probability, fault, account_id.",
  );
  expect(() => createEmulator(untyped({ ["z".repeat(100_000)]: 1 }))).toThrow(/^.{0,300}$/);
});
