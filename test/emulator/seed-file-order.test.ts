import { createEmulator, type Emulator, type EmulatorOptions, type Snapshot } from "async-music/emulator";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSeeded, seedSong, withAccount } from "./support/seed-files.js";
import { serviceOf } from "./support/service.js";

/** The key that a seed gives to the account at this position, which a file may leave open. */
const seededKey = (position: number) => {
  const emulator = createEmulator({ seedFile: { accounts: Array(position + 1).fill({}) } });
  return emulator.fork().state().accounts[position]?.keys.length === 1
    ? keysOf(emulator)[position]
    : undefined;
};
const keysOf = (emulator: Emulator): string[] =>
  Object(emulator.snapshot().state).accounts.flatMap(({ keys }: { keys: { value: string }[] }) =>
    keys.map(({ value }) => value),
  );

/** Few keys, those from the seed included, so that they are often equal. */
const KEYS = ["emu_a", "emu_b", "emu_c", seededKey(0) ?? "", seededKey(1) ?? ""];

const key = fc.constantFrom(...KEYS);
const account = fc.record(
  {
    keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
    tasks: fc.constantFrom(
      [],
      [seedSong({ status: "success", audio_format: "mp3" })],
      [seedSong({ status: "running" }), seedSong({ status: "timeout" })],
    ),
    policy: fc.constantFrom({}, { audio_conversion: "failing" as const }),
  },
  { requiredKeys: [] },
);
const seedFile = fc.array(account, { minLength: 1, maxLength: 3 }).map((accounts) => ({
  accounts: accounts.map(({ keys, ...rest }) => ({
    ...rest,
    ...(keys && { keys: keys.map((each) => ({ key: each })) }),
  })),
}));
const changes = fc.record(
  {
    seed: fc.constantFrom(1, 2),
    policy: fc.constantFrom(
      "vary" as const,
      { audio_conversion: "off" as const },
      { mixed_field_sets: "named_only" as const, null_audio_format: "omitted" as const },
    ),
    limits: fc.constant({ requests: 7 }),
  },
  { requiredKeys: [] },
);
const options = fc.record({ seedFile, apiKey: key, seed: fc.constantFrom(1, 2) }, { requiredKeys: [] });
const step = fc.oneof(
  fc.record({ kind: fc.constant("reset" as const), changes }),
  fc.record({
    kind: fc.constantFrom("take" as const, "restore" as const, "fork" as const),
    index: fc.nat(5),
  }),
  fc.record({ kind: fc.constantFrom("use" as const, "account" as const, "key" as const) }),
);

const create = (given: EmulatorOptions) => {
  try {
    return createEmulator(given);
  } catch (error) {
    // The file itself is refused, such as for a key of two accounts.
    expect(String(error)).toMatch(/must differ from/);
    return null;
  }
};

test("snapshots, resets and forks of emulators with seed files never throw, in any order", async () => {
  let resets = 0;
  await fc.assert(
    fc.asyncProperty(options, options, fc.array(step, { maxLength: 12 }), async (own, other, steps) => {
      const first = create(own);
      const second = create(other);
      if (first === null || second === null) return;
      let emulator = first;
      const taken: Snapshot[] = [first.snapshot(), second.snapshot()];
      for (const each of steps) {
        const { apiKey } = emulator;
        if (each.kind === "reset") {
          resets++;
          emulator.reset(each.changes);
          // A reset is the same as a new emulator with the key that was kept.
          const fresh = createEmulator({ ...own, ...each.changes, apiKey });
          expect([emulator.apiKey, emulator.snapshot()]).toEqual([apiKey, fresh.snapshot()]);
          expect(keysOf(emulator).filter((value) => value === apiKey)).toHaveLength(1);
        } else if (each.kind === "take") taken.push(emulator.snapshot());
        else if (each.kind === "restore") {
          const snapshot = taken[each.index % taken.length] ?? first.snapshot();
          emulator.restore(snapshot);
          expect(emulator.snapshot()).toEqual(snapshot);
        } else if (each.kind === "fork") {
          const before = emulator.snapshot();
          emulator = emulator.fork();
          expect(emulator.snapshot()).toEqual(before);
        } else if (each.kind === "account") emulator.accounts.create({ credits: 5 });
        else if (each.kind === "key") emulator.accounts.createKey(emulator.accountId);
        else {
          await emulator.clock.advance(1_000);
          await serviceOf(emulator).post(seedSong());
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(resets).toBeGreaterThan(100);
});

test("a reset after restoring a snapshot whose key is another key of the file keeps that key, once", () => {
  const { emulator } = createSeeded(withAccount({ keys: [{ key: "emu_a" }, { key: "emu_b" }] }));
  emulator.restore(createEmulator({ apiKey: "emu_b" }).snapshot());
  emulator.reset();
  expect([emulator.apiKey, keysOf(emulator)]).toEqual(["emu_b", ["emu_b"]]);
});

test("an account whose only key was kept for the first one gets another from the seed", () => {
  const accounts = [{ keys: [{ key: "emu_a" }] }, { keys: [{ key: "emu_b" }] }];
  const { emulator } = createSeeded({ accounts }, { apiKey: "emu_b" });
  expect(keysOf(emulator)).toEqual(["emu_b", expect.stringMatching(/^emu_[\da-f]{32}$/)]);
});

/** An emulator on a real clock with these tasks, at a fixed time of the system. */
function createOnRealClock(...tasks: object[]) {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 12), toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  return createSeeded(withAccount({ tasks }), { clock: "real" }).emulator;
}

test.each([
  ["an unfinished task", [seedSong({ status: "running", created_at: "2026-11-23T11:59:00Z" })]],
  [
    "a song that was continued at a fixed time",
    [
      seedSong({ status: "success", created_ago: "10m", process_seconds: 60, clip_ids: ["intro"] }),
      seedSong({
        ...{ status: "success", created_at: "2026-11-23T11:55:00Z" },
        input: { continue_clip_id: "intro" },
      }),
    ],
  ],
])("on a real clock, resets and forks at any later time return to %s as it was at the start", (_, tasks) => {
  const emulator = createOnRealClock(...tasks);
  const before = emulator.state();
  for (const later of [1, 3_599_999, 1, 86_400_000]) {
    vi.setSystemTime(Date.now() + later);
    for (const each of [emulator, emulator.fork()]) {
      each.reset();
      expect(each.state()).toEqual(before);
    }
  }
});

test("on a real clock, a file without fixed times begins at the system's time after every reset", () => {
  const emulator = createOnRealClock(seedSong({ status: "running", created_ago: "59m" }));
  vi.setSystemTime(Date.now() + 86_400_000);
  emulator.reset();
  expect(emulator.state()).toMatchObject({
    now: "2026-11-24T12:00:00.000Z",
    tasks: [{ status: "running", created_at: "2026-11-24T11:01:00.000Z" }],
  });
});
