import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { alias } from "../../vitest.config.js";
import { MODULES } from "./modules.mjs";

/** A fault that a pure rule finds needs no world to be played through: the first test that fails ends a run. */
class RulesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { rules = [], others = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      /\/rules\/(?!.*loads)/.test(moduleId) ? "rules" : "others",
    );
    return [...rules, ...others];
  }
}

export default defineConfig({
  resolve: { alias },
  test: {
    include: MODULES[process.env.MODULE as keyof typeof MODULES].tests,
    exclude: ["test/sdk/{fleet,full-disk}.test.ts"],
    testTimeout: 120_000,
    isolate: false,
    sequence: { sequencer: RulesFirst },
  },
});
