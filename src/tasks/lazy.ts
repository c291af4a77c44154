// The code of journals, budgets, batches and followers, which is loaded in one piece at its first use; and that of settlements:
// `settleOutcome` has no clock to stop while it loads code.

export { memoryStore } from "../budget/memory-store.js";
export { TenantBudget } from "../budget/tenant-budget.js";
export { freeNotCreated } from "../journal/not-created.js";
export { settleKey } from "../journal/settlement.js";
export { Batch } from "./batch.js";
export { endsOf } from "./follow.js";
export { JournaledSubmission } from "./journaled-submission.js";
