/** The two upstream model providers, as the `model` field names them. */
export const MODELS = ["provider_a", "provider_b"] as const;

/** Which upstream provider a task runs on. */
export type Model = (typeof MODELS)[number];

/** Every kind of task that the service knows. */
export const TASK_TYPES = ["music", "lyrics", "upload", "concat"] as const;

/** What a task makes: a song, lyrics, a clip from an address, or the whole of a continued song. */
export type TaskType = (typeof TASK_TYPES)[number];

/** Which task types each model supports (What the service does). */
export const TASK_TYPES_BY_MODEL: Readonly<Record<Model, readonly TaskType[]>> = {
  provider_a: TASK_TYPES,
  provider_b: ["music"],
};

export function isModel(value: unknown): value is Model {
  return MODELS.some((model) => model === value);
}

export function isTaskType(value: unknown): value is TaskType {
  return TASK_TYPES.some((taskType) => taskType === value);
}

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
