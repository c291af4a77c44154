import { createEmulator, type Policy, type SeedFile } from "async-music/emulator";
import { expect, test } from "vitest";

const DEFAULTS: Policy = {
  invalid_audio_format_status: 400,
  audio_format_unavailable_status: 400,
  audio_conversion: "on",
  mixed_field_sets: "reject",
  null_audio_format: "reject",
  rate_limit_window: "fixed",
  running_after: "provider",
  late_success: "timeout",
  timeout_error_code: "upstream_provider_error",
  timeout_retryable: true,
  auto_top_up_month: "calendar_utc",
};

test("every policy option has its default", () => {
  expect(createEmulator().policy).toEqual(DEFAULTS);
});

test("`vary` draws every policy option from the seed", () => {
  const policies = Array.from({ length: 60 }, (_, seed) => createEmulator({ seed, policy: "vary" }).policy);
  expect(createEmulator({ seed: 5, policy: "vary" }).policy).toEqual(policies[5]);
  for (const name of Object.keys(DEFAULTS) as (keyof Policy)[]) {
    expect(new Set(policies.map((policy) => policy[name])).size).toBeGreaterThan(1);
  }
});

const KNOWN = "Known fields: invalid_audio_format_status, .*auto_top_up_month";

test.each([
  [{ audio_conversion: "maybe" }, "audio_conversion` must be one of on, off, failing; got `maybe`."],
  [{ invalid_audio_format_status: 200 }, "_status` must be a whole number from 400 to 599; got 200."],
  [{ timeout_retryable: "yes" }, "timeout_retryable` must be one of true, false; got `yes`."],
  [
    { late_success: "success", speed: 1 },
    RegExp(`^Unknown field \`speed\`( in \`policy\`)?\\. ${KNOWN}\\.$`),
  ],
])("the policy %j is refused, and changes nothing", (changes, message) => {
  const emulator = createEmulator();
  expect(() => emulator.changePolicy(changes as never)).toThrow(message);
  expect(() => createEmulator({ policy: changes as never })).toThrow(message);
  expect(emulator.policy).toEqual(DEFAULTS);
});

const OPTIONS =
  "seed, future, credits, policy, limits, clock, apiKey, snapshot, seedFile, url, exchangeBytes";

test.each([
  [{ zzz: 1 }, `Unknown option \`zzz\`. Known options: ${OPTIONS}.`],
  [{ apikey: "emu_mine" }, "Unknown option `apikey`. Did you mean `apiKey`?"],
  [{ policy: "varyy" }, '`policy` must be an object or "vary"; got `varyy`.'],
  [null, "`options` must be an object; got null."],
])("the options %j are refused with the nearest name", (options, message) => {
  expect(() => createEmulator(options as never)).toThrow(new RangeError(message));
});

test.each([
  [Number.NaN, "NaN"],
  [Number.NEGATIVE_INFINITY, "-Infinity"],
  [5n, "5"],
  [null, "null"],
  [[Number.NaN, 5n, null], '["NaN","5n",null]'],
])("an invalid value is shown as it is: %o", (seed, shown) => {
  const message = `\`seed\` must be a whole number; got ${shown}.`;
  expect(() => createEmulator({ seed: seed as number })).toThrow(new RangeError(message));
});

test("a reset refuses options of the creation only, and changes nothing", () => {
  const emulator = createEmulator({ credits: 7 });
  const before = emulator.snapshot();
  expect(() => emulator.reset({ clock: "real" } as never)).toThrow(
    "Known options: seed, future, credits, policy, limits.",
  );
  expect(emulator.snapshot()).toEqual(before);
  expect(createEmulator({ seed: undefined, apiKey: undefined }).snapshot().version).toBe(1);
});

test.each([
  [{ seed: 1.5 }, "`seed`"],
  [{ credits: -1 }, "`credits`"],
  [{ clock: "fast" }, "`clock`"],
  [{ apiKey: "sk_live_1" }, "`apiKey`"],
  [{ apiKey: "emu_with blank" }, "`apiKey`"],
  [{ limits: { requests: -1 } }, "`limits.requests`"],
])("the option %j is refused with its name, without a real-looking key", (options, name) => {
  const create = () => createEmulator(options as never);
  expect(create).toThrow(name);
  expect(create).not.toThrow("sk_live_1");
});

test("a policy or limit of `undefined` counts as omitted", () => {
  const policy = { audio_conversion: undefined, null_audio_format: "omitted" } as const;
  const limits = { requests: undefined, windowSeconds: 5 };
  const seedFile = {
    policy: { audio_conversion: "off", late_success: undefined },
    limits: { requests: 7, window_seconds: undefined },
    accounts: [{}, { policy: { running_after: undefined } }],
  } satisfies SeedFile;
  const changed = { ...DEFAULTS, null_audio_format: "omitted" };
  for (const [options, expected, requests] of [
    [{ policy, limits }, changed, 120],
    [{ policy, limits, seedFile }, { ...changed, audio_conversion: "off" }, 7],
  ] as const) {
    const emulator = createEmulator(options);
    const after = () => [emulator.policy, emulator.limits];
    expect(after()).toEqual([expected, { requests, windowSeconds: 5 }]);
    emulator.reset({ policy, limits });
    expect(after()).toEqual([expected, { requests, windowSeconds: 5 }]);
    emulator.changePolicy({ null_audio_format: undefined });
    emulator.changeLimits({ requests: undefined, windowSeconds: undefined });
    expect(after()).toEqual([expected, { requests, windowSeconds: 5 }]);
  }
});
