import { createEmulator, type EmulatorOptions } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, test } from "vitest";
import { pollute } from "../support/pollute.js";

/** A value for every option that changes what an emulator does, or that it refuses. */
const POISON: Record<string, unknown> = {
  seed: "x",
  credits: -1,
  policy: { late_success: "x" },
  limits: { requests: -1 },
  clock: "x",
  apiKey: "key_of_an_attacker",
  url: "https://attacker.example",
  snapshot: {},
  port: -1,
  host: "256.0.0.1",
  controlHost: "attacker.example:1",
};

test.each(Object.entries(POISON))(
  "a polluted Object.prototype.%s is no option of an emulator, a reset, an account or a port",
  async (name, poison) => {
    const { apiKey, url, policy, limits } = createEmulator();
    pollute(name, poison);
    await using emulator = createEmulator({ limits: {}, policy: {} });
    expect(emulator).toMatchObject({ apiKey, url, policy, limits });
    expect(emulator.connection()).toMatchObject({ apiKey, baseUrl: url });
    emulator.reset();
    expect(emulator).toMatchObject({ apiKey, url, policy, limits });
    const { account_id } = emulator.accounts.create();
    expect(emulator.accounts.get(account_id).balance.available).toBe(0);
    await using server = await serve(emulator);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  },
);

/** Sets its options by getters of its class, which no spread and no `Object.keys` shows. */
class WithGetters implements EmulatorOptions {
  get credits() {
    return 5;
  }
  get port() {
    return 0;
  }
}

test("an inherited option is refused with its name", async () => {
  const rule = "must be an own property of the options";
  expect(() => createEmulator(new WithGetters())).toThrow(`\`credits\` ${rule}`);
  expect(() => createEmulator(Object.create({ seed: 5 }))).toThrow(`\`seed\` ${rule}`);
  const emulator = createEmulator();
  expect(() => emulator.reset(Object.create({ seed: 5 }))).toThrow(`\`seed\` ${rule}`);
  expect(() => emulator.accounts.create(new WithGetters())).toThrow(`\`credits\` ${rule}`);
  await expect(serve(emulator, new WithGetters())).rejects.toThrow(`\`port\` ${rule}`);
});

test("options may be own properties of an object without a prototype", async () => {
  const options = Object.assign(Object.create(null), { credits: 7 });
  const emulator = createEmulator(options);
  expect(emulator.accounts.get(emulator.accountId).balance.available).toBe(7);
});
