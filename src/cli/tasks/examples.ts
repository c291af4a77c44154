import type { Model, TaskType } from "../../contract/models.js";

const EXAMPLES = {
  music: '-d "rain in Lisbon"',
  lyrics: '--prompt "a lighthouse"',
  upload: "--url https://example.com/hum.mp3",
  concat: "--clip-id ID",
} as const satisfies Record<TaskType, string>;

/** The flag that says what to make, as one would type it. */
export function exampleOf(type: TaskType = "music", model: Model = "provider_a"): string {
  return model === "provider_b" ? '--prompt "slow folk"' : EXAMPLES[type];
}
