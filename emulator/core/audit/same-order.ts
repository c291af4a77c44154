import type { StoredTask } from "../stored/task.js";
import { fingerprintOf } from "./fingerprint.js";

/** By what the submission is known again that a task came from. */
export function sameAsTask({ accountId, model, type, input, audioFormat }: StoredTask): string {
  return sameOrder(accountId, { model, task_type: type, input, audio_format: audioFormat });
}

/** By what JSON is known again when an account sends it: what the service reads of it. Extras make no other of it. */
export function sameOrder(accountId: string, json: unknown): string {
  return `${accountId} ${fingerprintOf(isFields(json) ? whatIsRead(json) : json)}`;
}

function whatIsRead({ model, task_type, input, audio_format = null }: Readonly<Record<string, unknown>>) {
  return { model, task_type, input, audio_format };
}

function isFields(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
