import type { Call } from "./call.js";
import { accountCalls } from "./calls/account-calls.js";
import { descriptionCalls } from "./calls/description-calls.js";
import { lookCalls } from "./calls/look-calls.js";
import { observationCalls } from "./calls/observation-calls.js";
import { purchaseCalls } from "./calls/purchase-calls.js";
import { scriptCalls } from "./calls/script-calls.js";
import { worldCalls } from "./calls/world-calls.js";

const calls = [
  ...worldCalls,
  ...accountCalls,
  ...purchaseCalls,
  ...scriptCalls,
  ...observationCalls,
  ...lookCalls,
];

/** Everything that can be asked of the control plane. */
export const CALLS: readonly Call[] = [...calls, ...descriptionCalls(calls)];
