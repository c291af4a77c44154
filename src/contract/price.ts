import type { Model, TaskType } from "./model.js";

/** What one credit costs, in US dollars. */
export const USD_PER_CREDIT = 0.01;

/** Credits by model and task type; a pair that is absent is not offered. */
export const PRICES: Readonly<Record<Model, Readonly<Partial<Record<TaskType, number>>>>> = {
  provider_a: { music: 10, lyrics: 5, upload: 1, concat: 5 },
  provider_b: { music: 5 },
};

/** What a task costs, in credits. @throws RangeError when the model does not offer the task type. */
export function priceOf(model: Model, taskType: TaskType): number {
  const credits = PRICES[model][taskType];
  if (credits === undefined) throw new RangeError(`${model} does not offer ${taskType}`);
  return credits;
}
