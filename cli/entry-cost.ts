import { HIGHEST_PRICE, listedPrice } from "../src/contract/prices.js";
import type { JournalEntry } from "../src/index.js";
import { isFreed } from "../src/journal/entries.js";

/** What the order of a journal entry has cost, or may have cost. */
export function costOfEntry(entry: JournalEntry): number {
  if (isFreed(entry)) return 0;
  if (entry.state === "intent") return priceOfEntry(entry);
  const isRefunded = entry.status !== undefined && entry.status !== "success";
  return isRefunded ? 0 : (entry.submission?.credits_charged ?? priceOfEntry(entry));
}

export function priceOfEntry({ request }: JournalEntry): number {
  return listedPrice(request) ?? HIGHEST_PRICE;
}
