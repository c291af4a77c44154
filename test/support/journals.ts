import type { JournalEntry, JournalIntent, JournalRecord } from "async-music";
import { SONG_REQUEST, TASK_ID } from "./responses.js";
import type { SeenRequest, World } from "./world.js";

/** A journal entry of another process. */
export function journalEntry(
  state: JournalEntry["state"],
  fields: Partial<JournalRecord> | Partial<JournalIntent> = {},
): JournalEntry {
  const common = {
    revision: `revision-${state}`,
    request: SONG_REQUEST,
    request_id: "request-1",
    at: "2026-01-01T00:00:00.000Z",
    tasks_created: null,
  };
  const recorded = state === "submitted" ? { task_id: TASK_ID, submission: null } : {};
  return { state, ...common, ...recorded, ...fields } as JournalEntry;
}

export function posts({ requests }: Pick<World, "requests">): SeenRequest[] {
  return requests.filter(({ method }) => method === "POST");
}
