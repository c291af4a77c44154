// The code of settlements, which is loaded in one piece at its first use.
export { freeNotCreated } from "./not-created.js";
export { settleKey } from "./settlement.js";
