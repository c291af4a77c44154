import type { Task } from "../../src/contract/task.js";
import type { Core } from "../core/core.js";
import type { Policy } from "../core/policy-fields.js";
import type { Limits } from "../core/rate-limit.js";
import type { Origins } from "../http/messages.js";
import { taskData } from "../http/routes.js";
import { isoTime } from "../time/clock.js";
import type { AccountView } from "./account-view.js";
import type { Accounts } from "./accounts.js";

/** Everything that an observer can see of an emulator. */
export interface EmulatorState {
  /** ISO 8601. */
  now: string;
  policy: Readonly<Policy>;
  limits: Readonly<Limits>;
  /** In the order of their creation. */
  accounts: AccountView[];
  /** Of every account, as the API shows them, in the order of their creation. */
  tasks: (Task & { account_id: string })[];
}

/** Looks at everything: like every look, this applies the hour to all tasks. */
export function viewState(core: Core, accounts: Accounts, origins: Origins): EmulatorState {
  const { state, clock } = core;
  const now = clock.now();
  return {
    now: isoTime(now),
    policy: { ...state.policy },
    limits: { ...state.limits },
    accounts: accounts.list(),
    tasks: state.tasks.map((task) => ({ account_id: task.accountId, ...taskData(task, now, origins) })),
  };
}
