import { JournalError } from "async-music";
import { expect, test } from "vitest";
import { waitForKey } from "../../../src/journal/key-queue.js";
import { memoryJournal } from "../../../src/journal/memory-journal.js";
import { notesOf } from "../../../src/journal/process-notes.js";
import { fail, journaledWorld, KEY } from "../../support/journaled.js";
import { rejection } from "../../support/rejection.js";
import { accepted, done, refusal, SONG_REQUEST } from "../../support/responses.js";
import { createTestClock } from "../../support/test-clock.js";
import { createWorld, inTurn } from "../../support/world.js";

// What a process keeps about a journal: a journal may live as long as the process.

test("a key leaves the queues when its last run has ended, or was aborted", async () => {
  const journal = memoryJournal();
  const { queues } = notesOf(journal);
  const release = await waitForKey(journal, "order-1", undefined);
  const aborted = waitForKey(journal, "order-1", AbortSignal.abort("left"));
  const last = waitForKey(journal, "order-1", undefined);
  await expect(aborted).rejects.toBe("left");
  expect([...queues.keys()]).toEqual(["order-1"]);
  release();
  (await last)();
  await queues.get("order-1");
  expect(queues.size).toBe(0);
});

test("an intent that could not be removed is noted until another run replaces it", async () => {
  const refused = () => refusal(402, "insufficient_credits");
  const clock = createTestClock({ skips: false });
  const { run, journal, broken } = journaledWorld(refused, { clock });
  const { unsent } = notesOf(journal);
  broken.delete = fail;
  await rejection(run(), JournalError);
  expect(unsent.size).toBe(1);
  const other = createWorld(inTurn(accepted, done));
  await other.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY });
  expect(unsent.size).toBe(0);
});

test("the notes about revisions are limited to the latest thousand", () => {
  const notes = notesOf(memoryJournal());
  for (let index = 0; index <= 1000; index++) {
    notes.noteUnsent(`revision-${index}`, null);
    notes.noteEnded(`revision-${index}`);
  }
  const known = (index: number) => [
    notes.unsent.has(`revision-${index}`),
    notes.hasEnded(`revision-${index}`),
  ];
  expect([0, 1, 1000].map(known)).toEqual([
    [false, false],
    [true, true],
    [true, true],
  ]);
});
