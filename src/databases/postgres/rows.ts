import { AsyncMusicError } from "../../errors/base.js";
import { isFreed } from "../../journal/entries.js";
import { isJournalEntry } from "../../journal/is-entry.js";
import type { JournalEntry, JournalIntent } from "../../journal/journal.js";
import { sha256Of } from "../hash.js";
import { jsonOrNull } from "../json.js";
import type { Row } from "./client.js";

/** To a run, a planned order is a freed key: it replaces the entry, and restores it after a refusal. */
export type PlannedIntent = JournalIntent & { planned?: true };

/** What the column `state` shows. A closed entry needs neither a run nor a decision. */
export type EntryState = "planned" | "intent" | "submitted" | "closed";

export function stateOfEntry(entry: JournalEntry & { planned?: true }): EntryState {
  if (isFreed(entry)) return entry.planned === true ? "planned" : "closed";
  return entry.state === "submitted" && entry.status !== undefined ? "closed" : entry.state;
}

/** Any string can be a key. JSON keeps lone surrogates apart, which UTF-8 does not. */
export function keyHashOf(key: string): Promise<string> {
  return sha256Of(JSON.stringify(key));
}

/** The key in the column `key`, for people. PostgreSQL stores neither lone surrogates nor U+0000: such a key is written as JSON. */
export function storedKey(key: string): string {
  return /\p{Surrogate}|\0|^"/u.test(key) ? JSON.stringify(key) : key;
}

/** The inverse of `storedKey`; `null` if the column was changed by hand. */
export function keyOfRow({ key }: Row): string | null {
  const text = String(key);
  if (!text.startsWith('"')) return text;
  const parsed = jsonOrNull(text);
  return typeof parsed === "string" ? parsed : null;
}

export function entryOfRow({ key, revision, entry: text }: Row, table: string): JournalEntry {
  const entry = jsonOrNull(text);
  if (isJournalEntry(entry) && entry.revision === revision) return entry;
  throw new AsyncMusicError({
    what: `The entry of ${JSON.stringify(key)} in ${table} is damaged`,
    advice: ["Restore it, or delete it once you know whether its task exists."],
  });
}
