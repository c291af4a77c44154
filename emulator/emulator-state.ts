import type { Task } from "../src/contract/task.js";
import type { Origins } from "./api/origins.js";
import { taskData } from "./api/task-data.js";
import { isoTime } from "./clock/clock.js";
import type { AccountView } from "./control/account-view.js";
import type { Accounts } from "./control/accounts.js";
import type { Limits } from "./limits/limits.js";
import type { Policy } from "./policy/policy.js";
import type { World } from "./state/world.js";

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
export function viewState(world: World, accounts: Accounts, origins: Origins): EmulatorState {
  const { state, clock } = world;
  const now = clock.now();
  return {
    now: isoTime(now),
    policy: { ...state.policy },
    limits: { ...state.limits },
    accounts: accounts.list(),
    tasks: state.tasks.map((task) => ({ account_id: task.accountId, ...taskData(task, now, origins) })),
  };
}
