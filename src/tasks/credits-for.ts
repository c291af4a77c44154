import { listedPrice, PRICES } from "../contract/prices.js";
import { orList } from "../contract/request-rules.js";
import type { TaskRequest } from "../contract/requests.js";
import type { Model, TaskType } from "../contract/service.js";
import { shown, wrongValue } from "../errors/base.js";

/**
 * Returns what a request costs, in credits of 0.01 USD. They are frozen when the task is accepted, charged when it
 * succeeds, and refunded when it ends in `failure` or `timeout`.
 *
 * @param request - a request, or only its `model` and `task_type`; its `input` is not checked
 * @throws `InvalidOptionError` the model does not offer the task type, or `request` is no request
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
  if (credits === null) {
    const offers = Object.entries(PRICES).map(
      ([model, types]) => `${orList(Object.keys(types))} of ${model}`,
    );
    throw wrongValue(
      "request",
      `name a task type that its model offers: ${offers.join("; ")}`,
      shown(request),
    );
  }
  return credits;
}
