import { createEmulator, type Emulator } from "async-music/emulator";
import { test } from "async-music/emulator/vitest";
import { describe, expect } from "vitest";
import { pollTwice, SONG } from "./poll-twice.js";

/** An emulator that a client polled too often. */
const broken = createEmulator();
await pollTwice(broken);

describe("tests that run at the same time", () => {
  const seen = new Set<Emulator>();

  for (const number of [1, 2, 3, 4, 5]) {
    test.concurrent(`each have their own client and emulator: ${number}`, async ({
      client,
      emulator,
      expect,
    }) => {
      seen.add(emulator);
      const { task_id } = await client.tasks.run(SONG);
      expect(emulator.state().tasks.map((task) => task.task_id)).toEqual([task_id]);
      expect(await client.account.balance()).toMatchObject({ available: 990, frozen: 0 });
    });
  }

  test("had different emulators", () => expect(seen.size).toBe(5));
});

describe("a test that is retried", () => {
  const seen: Emulator[] = [];

  test("has a new client and emulator", { retry: 1 }, async ({ client, emulator }) => {
    seen.push(emulator);
    await client.account.balance();
    expect(emulator.requests).toHaveLength(1);
    if (seen.length === 1) throw new Error("Once more");
    expect(seen[1]).not.toBe(seen[0]);
  });
});

describe("the emulator of a test", () => {
  let before: Emulator | undefined;

  test("drives the client's clock", async ({ client, emulator }) => {
    before = emulator;
    const began = emulator.clock.now();
    await client.tasks.run(SONG);
    expect(emulator.clock.now() - began).toBeGreaterThan(5_000);
  });

  test("is disposed after it", async ({ emulator }) => {
    expect(emulator).not.toBe(before);
    await expect(before?.clock.sleep(1)).rejects.toThrow("disposed");
  });

  test("still responds in `onTestFinished`", async ({ client, onTestFinished }) => {
    onTestFinished(async () => expect((await client.account.balance()).available).toBe(1000));
    await client.account.usage();
  });
});

describe("options of the emulator", () => {
  const rich = test.extend({ emulatorOptions: { credits: 5000 } });

  describe("for a describe", () => {
    test.override({ emulatorOptions: { credits: 20, seed: 7 } });

    test("are set with `override`", async ({ client, emulator }) => {
      expect((await client.account.balance()).available).toBe(20);
      expect(emulator.apiKey).toBe(createEmulator({ seed: 7 }).apiKey);
    });
  });

  rich("are set for some tests with `extend`", async ({ client }) => {
    expect((await client.account.balance()).available).toBe(5000);
  });

  test("are the emulator's defaults otherwise", async ({ client }) => {
    expect((await client.account.balance()).available).toBe(1000);
  });

  describe("with a snapshot", () => {
    test.override({ emulatorOptions: { snapshot: broken.snapshot() } });

    test("do not fail the test for rules that were broken before it", async ({ client, emulator }) => {
      expect(emulator.audit()).toHaveLength(1);
      await client.account.balance();
    });
  });
});

test("a test may break rules on purpose, and then reset the emulator", async ({ emulator, breaks }) => {
  breaks("polled_too_often");
  await pollTwice(emulator);
  emulator.restore(emulator.snapshot());
  emulator.reset();
  expect(emulator.audit()).toEqual([]);
});
