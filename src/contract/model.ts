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
