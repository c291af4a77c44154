import { randomStream, randomUuid } from "../../time/random.js";
import type { Account } from "../accounts/account.js";
import { canFreeze, freeze } from "../ledger/ledger.js";
import { rechargeAfterFreeze } from "../payments/recharge.js";
import type { ProviderTask } from "../providers/brief.js";
import type { Outcome } from "../providers/outcome.js";
import { planTask, UNKNOWN_CLIP } from "../providers/plan.js";
import { chooseOutcome, consumeOutcome } from "../providers/scripts.js";
import { indexTask, type World } from "../state/world.js";
import type { OpenTask } from "../stored/task.js";
import { namesUnknownClip } from "./clip-reference.js";

/** A task that is valid, and is to be accepted if there are credits for it and the provider takes it. */
export interface TaskOrder extends ProviderTask {
  credits: number;
  audioFormat: "mp3" | null;
  /** What the request itself asks the provider to do. */
  askedOutcome: Outcome | null;
}

/** Accepts a task, or says why not: then nothing has changed, but that a scripted refusal has been used. */
export function createTask(
  world: World,
  account: Account,
  order: TaskOrder,
  now: number,
): OpenTask | "insufficient_credits" | "upstream_provider_error" {
  const { model, type, credits, input, audioFormat, askedOutcome } = order;
  const { state, index } = world;
  if (!canFreeze(account.ledger, credits)) return "insufficient_credits";

  const script = state.scripts[model];
  const outcome = chooseOutcome(script, askedOutcome);
  consumeOutcome(script, askedOutcome);
  if (outcome.outcome === "reject") return "upstream_provider_error";

  const ordinal = state.tasks.length;
  const plan = planTask(model, type, outcome, randomStream(state.seed, "plan", ordinal));
  if (namesUnknownClip(world, account, order)) plan.end = UNKNOWN_CLIP;
  const task: OpenTask = {
    id: randomUuid(state.seed, "task", ordinal),
    ordinal,
    accountId: account.id,
    model,
    type,
    status: "pending",
    credits,
    input,
    audioFormat,
    createdAt: now,
    plan,
    reads: 0,
  };

  freeze(account.ledger, task, now);
  account.tasksCreated++;
  account.creditsUsed += credits;
  rechargeAfterFreeze(state, account, now);
  state.tasks.push(task);
  indexTask(index, task);
  return task;
}
