import type { TaskErrorCode } from "../../src/contract/error-code.js";
import type { JsonValue } from "../../src/contract/json.js";
import type { Model, TaskType } from "../../src/contract/model.js";
import type { Plan } from "../providers/plan.js";
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
