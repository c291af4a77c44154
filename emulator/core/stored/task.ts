import type { TaskErrorCode } from "../../../src/contract/wire.js";
import type { AudioFormat } from "../../audio/formats/formats.js";
import type { ProviderTask } from "../providers/brief.js";
import type { MadeClip, MadeLyrics } from "../providers/make-result.js";
import type { Plan } from "../providers/plan.js";

/** A task as the service keeps it: each status has the fields that go with it, and no others. */
export type StoredTask = OpenTask | SucceededTask | FailedTask;

/** What every task has. */
interface TaskCore extends ProviderTask {
  id: string;
  ordinal: number;
  accountId: string;
  credits: number;
  audioFormat: "mp3" | null;
  createdAt: number;
  plan: Plan;
  /** How often it was read while it was open. */
  reads: number;
}

export interface OpenTask extends TaskCore {
  status: "pending" | "running";
}

export interface SucceededTask extends TaskCore {
  status: "success";
  completedAt: number;
  /** The format of the service's copies: the provider's own, or what it was converted to. */
  format: AudioFormat;
  result: MadeClip[] | MadeLyrics;
}

export interface FailedTask extends TaskCore {
  status: "failure" | "timeout";
  completedAt: number;
  error: string;
  errorCode: TaskErrorCode;
  retryable: boolean;
  retryAfterSeconds: number | null;
}

export function isOpen(task: StoredTask): task is OpenTask {
  return task.status === "pending" || task.status === "running";
}
