import { memoryJournal } from "async-music";
import { describeJournal } from "../support/describe-journal.js";

describeJournal(async () => {
  const journal = memoryJournal();
  return async () => journal;
});
