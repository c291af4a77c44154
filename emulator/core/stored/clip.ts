import type { MadeClip } from "../providers/make-result.js";
import type { SucceededTask } from "./task.js";

/** A clip as the service keeps it: what the provider made, and the task that it comes from. */
export interface StoredClip {
  task: SucceededTask;
  clip: MadeClip;
}
