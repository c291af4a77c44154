import { memoryJournal, SubmissionOutcomeUnknownError } from "async-music";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/errors/redactor.js";
import { foreignSample, outcomeUnknown, type Probe } from "../../../src/journal/evidence.js";
import type { JournalIntent } from "../../../src/journal/journal.js";
import { Slot } from "../../../src/journal/slot.js";
import { SONG_REQUEST } from "../../support/responses.js";

test("a client keeps the usage samples of its last 1,000 POSTs with an unknown outcome", async () => {
  const slot = new Slot(memoryJournal(), "order-1", createRedactor(""));
  const probe: Probe = {
    count: () => ({ accepted: 0, open: 0, unknown: 0 }),
    unresolved: new Map(),
    readTasksCreated: async () => 0,
  };
  const lose = (number: number) => {
    const intent: JournalIntent = {
      state: "intent",
      revision: `revision-${number}`,
      request: SONG_REQUEST,
      request_id: `request-${number}`,
      at: "2026-01-01T00:00:00.000Z",
      tasks_created: 0,
    };
    return outcomeUnknown(
      slot,
      intent,
      { probe, clock: Date, timeoutMs: 30_000 },
      { error: undefined, sample: foreignSample(0) },
    );
  };

  for (let number = 0; number < 1_200; number++)
    expect(await lose(number)).toBeInstanceOf(SubmissionOutcomeUnknownError);
  expect([...probe.unresolved.keys()]).toEqual(
    Array.from({ length: 1_000 }, (_, index) => `revision-${200 + index}`),
  );
});
