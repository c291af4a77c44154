// The code of a budget in memory, which is loaded in one piece at its first use.
export { memoryStore } from "./memory-store.js";
export { TenantBudget } from "./tenant-budget.js";
