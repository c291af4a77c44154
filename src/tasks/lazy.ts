// The code of journals, batches and followers, which is loaded in one piece at its first use.
export { Batch } from "./batch.js";
export { endsOf } from "./follow.js";
export { JournaledSubmission } from "./journaled-submission.js";
