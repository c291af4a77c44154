import { memoryBudget, memoryJournal } from "async-music";
import { describe } from "vitest";
import { describeBudget } from "../support/describe-budget.js";

describe("memoryBudget", () => {
  describeBudget(async () => {
    const journal = memoryJournal();
    const budgets = new Map<string, ReturnType<typeof memoryBudget>>();
    return {
      // It is not shared by processes: the second one of a test is the first.
      budget: (options) => {
        const { journal: _, clock: _clock, ...rest } = options;
        const name = JSON.stringify(rest);
        const budget = budgets.get(name) ?? memoryBudget(options);
        budgets.set(name, budget);
        return budget;
      },
      journal: () => journal,
    };
  });
});
