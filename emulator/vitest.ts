/**
 * Vitest fixtures: each test has its own emulator and client.
 *
 * @module async-music/emulator/vitest
 */

import { test as base, type TestAPI, type TestContext } from "vitest";
import { AsyncMusic } from "../src/client.js";
import { checkRules, findProblems, unbrokenRules } from "./control/compliance.js";
import { createEmulator } from "./control/create-emulator.js";
import type { Emulator, EmulatorOptions } from "./control/emulator.js";
import type { ComplianceRule } from "./core/log/audit.js";

/** The fixtures. */
export interface EmulatorFixtures {
  /** An emulator, created for this test and disposed after it. */
  emulator: Emulator;
  /** A client of the emulator, on its clock. */
  client: AsyncMusic;
  /** Declares rules of the service that the test breaks on purpose. The test fails if it does not break them. */
  breaks: Breaks;
  /** The options of `createEmulator`. @defaultValue its own defaults */
  emulatorOptions: EmulatorOptions;
}

/** Adds rules; may be called several times. */
export interface Breaks {
  /** @throws RangeError for an unknown rule */
  (...rules: ComplianceRule[]): void;
  /** All rules that were added. */
  readonly rules: ReadonlySet<ComplianceRule>;
}

/**
 * Vitest's `test` with a fresh `emulator` and `client` for each test that uses them, concurrent tests included. A test
 * fails if the client broke a rule of the service, if no request used a fault or a next outcome that the test added, or
 * if the credits do not add up at its end.
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
  breaks: async (
    { onTestFinished }: Pick<TestContext, "onTestFinished">,
    use: (breaks: Breaks) => Promise<void>,
  ) => {
    const rules = new Set<ComplianceRule>();
    let isRead = false;
    const add = (...more: ComplianceRule[]) => checkRules(more).forEach((rule) => void rules.add(rule));
    const breaks = Object.defineProperty(add, "rules", {
      get() {
        isRead = true;
        return rules;
      },
    });
    // Called after each reader. Of a test without an emulator, there is none.
    onTestFinished(() => {
      const message = isRead ? null : unbrokenRules([], [...rules]);
      if (message !== null) fail(message);
    });
    await use(breaks as typeof add & Pick<Breaks, "rules">);
  },
  emulator: async ({ emulatorOptions, breaks, task, onTestFinished }, use) => {
    const emulator = createEmulator(emulatorOptions);
    const { rules } = breaks;
    // Registered first, so called last: the test's own clean-up can still use its emulator.
    onTestFinished(async () => {
      const options = { breaks: [...rules], failed: task.result?.state === "fail" };
      const message = findProblems(emulator, options, (names) => `call \`breaks(${names})\``);
      await emulator[Symbol.asyncDispose]();
      if (message !== null) fail(message);
    });
    await use(emulator);
  },
  client: async ({ emulator }, use) => {
    await use(new AsyncMusic(emulator.connection()));
  },
});

/** Throws without a stack, since no line of the test is the cause. */
function fail(message: string): never {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  throw error;
}
