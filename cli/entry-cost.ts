import { HIGHEST_PRICE, listedPrice } from "../src/contract/prices.js";
import type { JournalEntry } from "../src/index.js";
import { isFreed } from "../src/journal/entries.js";

/**
 * What the order of a journal entry has cost, or may have cost: at least its listed price, so that no number of the service
 * widens a limit.
 */
export function costOfEntry(entry: JournalEntry): number {
  if (isFreed(entry)) return 0;
  const price = priceOfEntry(entry);
  if (entry.state === "intent") return price;
  const isRefunded = entry.status !== undefined && entry.status !== "success";
  return isRefunded ? 0 : Math.max(price, entry.submission?.credits_charged ?? price);
}

export function priceOfEntry({ request }: JournalEntry): number {
  return listedPrice(request) ?? HIGHEST_PRICE;
}
