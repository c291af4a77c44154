import type { TaskErrorCode } from "../../src/contract/error-code.js";
import type { JsonValue } from "../../src/contract/json.js";
import type { Model, TaskType } from "../../src/contract/model.js";
import type { AudioFormat } from "../audio/formats/formats.js";
import { invariant } from "../invariant.js";
import type { Plan, PlannedSuccess } from "../providers/plan.js";
import type { StoredClip } from "./stored-clip.js";

/** A task as the service keeps it: each status has the fields that go with it, and no others. */
export type StoredTask = OpenTask | SucceededTask | FailedTask;

/** What every task has. */
interface TaskCore {
  id: string;
  ordinal: number;
  accountId: string;
  model: Model;
  type: TaskType;
  credits: number;
  /** As it was submitted. */
  input: TaskInput;
  audioFormat: "mp3" | null;
  createdAt: number;
  /** A mark of the request body, to tell whether it is sent again. */
  fingerprint: string;
  plan: Plan;
  /** How often it was read while it was open. */
  reads: number;
}

export type TaskInput = Readonly<Record<string, JsonValue>>;

export interface OpenTask extends TaskCore {
  status: "pending" | "running";
}

export interface SucceededTask extends TaskCore {
  status: "success";
  completedAt: number;
  /** The format of the service's copies: the provider's own, or what it was converted to. */
  format: AudioFormat;
  result: StoredClip[] | StoredLyrics;
}

export interface FailedTask extends TaskCore {
  status: "failure" | "timeout";
  completedAt: number;
  error: string;
  errorCode: TaskErrorCode;
  retryable: boolean;
  retryAfterSeconds: number | null;
}

export interface StoredLyrics {
  title: string;
  text: string;
}

export function isOpen(task: StoredTask): task is OpenTask {
  return task.status === "pending" || task.status === "running";
}

/** What the provider had planned to make, and so has made. */
export function plannedSuccess({ plan }: Pick<StoredTask, "plan">): PlannedSuccess {
  invariant(plan.end.outcome === "success", "only a task that was planned to succeed does");
  return plan.end;
}
