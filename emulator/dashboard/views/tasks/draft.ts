import { signal } from "@preact/signals";
import { DESCRIBED_INPUTS } from "../../../../src/contract/input-texts.js";
import { modesOf } from "../../../../src/contract/inputs.js";
import { goTo } from "../../address.js";
import type { Draft } from "./task-input.js";

const EMPTY: Draft = {
  model: "provider_a",
  type: "music",
  mode: "inspiration",
  format: "",
  outcome: "",
  fields: { gpt_description_prompt: "rain in Lisbon" },
};

const STORAGE_KEY = "async-music-draft";

/** The form survives a reload, but not the end of the tab. It contains no key. */
export const draft = signal<Draft>(EMPTY);

/** The outcome is not restored: a failure that was requested before would be a surprise. */
export function restoreDraft(): void {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  if (stored === null) return;
  try {
    draft.value = { ...EMPTY, ...JSON.parse(stored), outcome: "" };
  } catch {
    sessionStorage.removeItem(STORAGE_KEY);
  }
}

export function changeDraft(changes: Partial<Draft>): void {
  const { model, type, ...rest } = { ...draft.value, ...changes };
  const isOffered = modesOf(DESCRIBED_INPUTS, model, type).length > 0;
  draft.value = { ...rest, model, type: isOffered ? type : "music" };
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(draft.value));
}

/** Opens the form of a song of `provider_a`, but with these values. */
export function openDraft(changes: Partial<Draft>): void {
  changeDraft({ ...EMPTY, fields: {}, ...changes });
  goTo("/tasks/new");
}
