import { listedPrice } from "../contract/prices.js";
import type { TaskRequest } from "../contract/requests.js";
import type { Model, TaskType } from "../contract/service.js";
import { shown, wrongValue } from "../errors/base.js";

const RULE =
  "name a model and a task type that it offers: `music`, `lyrics`, `upload` or `concat` of `provider_a`, or `music` of " +
  "`provider_b`";

/**
 * Returns what a request costs, in credits of 0.01 USD. They are frozen when the task is accepted, charged when it
 * succeeds, and refunded when it ends in `failure` or `timeout`.
 *
 * @param request - a request, or only its `model` and `task_type`; its `input` is not checked
 * @throws {@link InvalidOptionError} the model does not offer the task type, or `request` is no request
 *
 * @example
 * ```ts
 * const credits = requests.reduce((sum, request) => sum + creditsFor(request), 0);
 * console.log(`The batch costs at most ${credits * USD_PER_CREDIT} USD.`);
 * ```
 */
export function creditsFor(
  request: TaskRequest | { readonly model: Model; readonly task_type: TaskType },
): number {
  const credits = listedPrice(request);
  if (credits === null) throw wrongValue("request", RULE, shown(request));
  return credits;
}
