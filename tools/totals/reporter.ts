import { mkdirSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule, TestRunEndReason } from "vitest/node";

/** Prints the run's totals as one plain last line, and writes them to a file for later steps. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string) => states.filter((each) => each === state).length;
    // A file that does not load, or an error outside of the tests, fails the run without a failed test.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = Math.max(count("failed") + broken, reason === "passed" ? 0 : 1);
    const skipped = count("skipped") > 0 ? `, ${count("skipped")} skipped` : "";
    const totals = `${count("passed")} passed, ${failed} failed${skipped}`;
    mkdirSync(".reports", { recursive: true });
    writeFileSync(".reports/tests.txt", `${totals}\n`);
    console.log(totals);
  }
}
