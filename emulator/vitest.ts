/**
 * Fixtures for vitest: each test has a service of its own.
 *
 * @module async-music/emulator/vitest
 */

import { test as base, type TestAPI } from "vitest";
import { AsyncMusic } from "../src/client.js";
import { armedInVain } from "./adapters/fixtures/armed.js";
import { listenToTest } from "./adapters/fixtures/asked.js";
import { brokenRules, keptRules } from "./adapters/fixtures/broken-rules.js";
import { followTest } from "./adapters/fixtures/own-doing.js";
import { createEmulator } from "./control/create-emulator.js";
import type { Emulator } from "./control/emulator.js";
import type { EmulatorOptions } from "./control/emulator-options.js";
import type { ConductRule } from "./core/audit.js";
import { invariant } from "./core/checks.js";
import { isConsistent } from "./core/state/consistency.js";
import { worldOf } from "./http/mounted-world.js";

/** What a test can ask for. */
export interface EmulatorFixtures {
  /** The service: new for this test, and gone after it. */
  emulator: Emulator;
  /** A client of that service, on its clock. */
  client: AsyncMusic;
  /** Says that this test breaks rules of the service on purpose: it then fails if it doesn't. */
  breaks: Breaks;
  /** What the emulator is made with. @defaultValue `createEmulator`'s own defaults */
  emulatorOptions: EmulatorOptions;
}

/** Called with rules as often as one likes; it remembers them. */
export interface Breaks {
  (...rules: ConductRule[]): void;
  /** What it was called with. */
  readonly rules: ReadonlySet<ConductRule>;
}

/**
 * Vitest's `test` with a fresh `emulator` and `client` for each test that asks for them, also for those that run at the same
 * time. A test fails if the client broke a rule of the service, if a fault or a next outcome that it armed never came
 * about, or if the credits don't add up when it is over.
 *
 * `emulatorOptions` are set for a file or a `describe` with `test.override`, and for some tests of a file with
 * `test.extend`.
 *
 * @example
 * ```ts vitest
 * import { test } from "async-music/emulator/vitest";
 * import { expect } from "vitest";
 *
 * test.override({ emulatorOptions: { credits: 20 } });
 *
 * test("two songs are paid for", async ({ client }) => {
 *   const request = { model: "provider_a", task_type: "music", input: { tags: "polka" } } as const;
 *   await Promise.all([client.tasks.run(request), client.tasks.run(request)]);
 *   expect(await client.account.balance()).toMatchObject({ available: 0, frozen: 0 });
 * });
 * ```
 */
export const test: TestAPI<EmulatorFixtures> = base.extend<EmulatorFixtures>({
  emulatorOptions: {},
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs.
  breaks: async ({}, use: (breaks: Breaks) => Promise<void>) => {
    const rules = new Set<ConductRule>();
    const add = (...more: ConductRule[]) => more.forEach((rule) => void rules.add(rule));
    await use(Object.assign(add, { rules }));
  },
  emulator: async ({ emulatorOptions, breaks, task, onTestFinished }, use) => {
    const emulator = createEmulator(emulatorOptions);
    const world = worldOf(emulator);
    const own = followTest(world);
    const asked = listenToTest(world);
    // The first to register is the last to be called: a test's own clean-up still has its emulator.
    onTestFinished(async () => {
      const findings = own.findings();
      await emulator[Symbol.asyncDispose]();
      fail(brokenRules(findings, breaks.rules, asked));
      // A test that failed half-way may not have come to what it was going to do.
      if (task.result?.state !== "fail") {
        fail(keptRules(findings, breaks.rules));
        fail(armedInVain(world.state, own.armedByOthers(), asked));
      }
      invariant(isConsistent(world.state), "after a test, all credits are accounted for");
    });
    await use(emulator);
  },
  client: async ({ emulator }, use) => {
    await use(new AsyncMusic(emulator.connection()));
  },
});

/** Where this was thrown is nowhere in the test, so that no place is shown. */
function fail(message: string | null): void {
  if (message === null) return;
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  throw error;
}
