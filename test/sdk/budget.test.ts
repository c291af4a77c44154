import { AsyncMusic, InvalidOptionError, memoryBudget, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { describeBudget } from "../support/describe-budget.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST } from "../support/responses.js";

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

test.each(["create", "run"] as const)(
  "`%s` with another journal object than that of its budget rejects, and sends nothing",
  async (method) => {
    await using emulator = createEmulator();
    const { tasks } = new AsyncMusic(emulator.connection());
    const budget = memoryBudget({ maxCredits: 100, per: "total", journal: memoryJournal() });
    const options = { tenant: "acme", budget, journal: memoryJournal(), journalKey: "order-1" };
    const error = await rejection(tasks[method](SONG_REQUEST, options), InvalidOptionError);
    expect([error.option, emulator.requests]).toEqual(["journal", []]);
  },
);
