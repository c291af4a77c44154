import { INPUT_LIST } from "./inputs.js";
import { isModel, isTaskType, type Model, type TaskType } from "./service.js";

/** Credits by model and task type; a pair that is absent is not offered. */
export const PRICES: Readonly<Record<Model, Readonly<Partial<Record<TaskType, number>>>>> = {
  provider_a: /* @__PURE__ */ pricesOf("provider_a"),
  provider_b: /* @__PURE__ */ pricesOf("provider_b"),
};

function pricesOf(model: Model): Readonly<Partial<Record<TaskType, number>>> {
  const offered = INPUT_LIST.filter((each) => each.model === model);
  return Object.fromEntries(offered.map(({ task_type: type, credits }) => [type, credits]));
}

/** The price that counts where a request has no listed one. */
export const HIGHEST_PRICE: number = /* @__PURE__ */ Math.max(...INPUT_LIST.map(({ credits }) => credits));

/** What a task costs, in credits. @throws RangeError when the model does not offer the task type. */
export function priceOf(model: Model, taskType: TaskType): number {
  const credits = PRICES[model][taskType];
  if (credits === undefined) throw new RangeError(`${model} does not offer ${taskType}`);
  return credits;
}

/** The price of a request in credits; `null` where the interface lists none. */
export function listedPrice(request: unknown): number | null {
  const { model, task_type: taskType } = Object(request);
  return isModel(model) && isTaskType(taskType) ? (PRICES[model][taskType] ?? null) : null;
}
