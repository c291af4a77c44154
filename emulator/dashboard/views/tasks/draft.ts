import { signal } from "@preact/signals";
import type { Model, TaskType } from "../../../../src/contract/service.js";

/** How a song is asked of `provider_a`. */
export type Mode = "inspiration" | "custom" | "continuation";

/** A task as it is being put together. Everything is text until it is sent. */
export interface Draft {
  model: Model;
  type: TaskType;
  mode: Mode;
  format: "" | "mp3";
  outcome: string;
  /** By the input's own names. */
  fields: Readonly<Record<string, string>>;
}

const EMPTY: Draft = {
  model: "provider_a",
  type: "music",
  mode: "inspiration",
  format: "",
  outcome: "",
  fields: { gpt_description_prompt: "rain in Lisbon" },
};

const STORED_AS = "async-music-draft";

/**
 * What was typed outlasts a reload of the page, and ends with its tab. It holds no key. How the task is to end does not:
 * nobody expects of a page that they have just opened that their task fails.
 */
export const draft = signal<Draft>(EMPTY);

export function openDraft(): void {
  const stored = sessionStorage.getItem(STORED_AS);
  if (stored === null) return;
  try {
    draft.value = { ...EMPTY, ...JSON.parse(stored), outcome: EMPTY.outcome };
  } catch {
    sessionStorage.removeItem(STORED_AS);
  }
}

export function changeDraft(changes: Partial<Draft>): void {
  draft.value = { ...draft.value, ...changes };
  sessionStorage.setItem(STORED_AS, JSON.stringify(draft.value));
}
