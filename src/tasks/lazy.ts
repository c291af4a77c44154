// The code of journals, batches and followers, which is loaded in one piece at its first use; and that of settlements:
// `settleOutcome` has no clock to stop while it loads code.

export { freeNotCreated, settleKey } from "../journal/lazy.js";
export { Batch } from "./batch.js";
export { endsOf } from "./follow.js";
export { JournaledSubmission } from "./journaled-submission.js";
