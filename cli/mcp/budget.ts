import { CreditCeiling } from "../../src/budget/credit-ceiling.js";
import { HIGHEST_PRICE } from "../../src/contract/prices.js";
import { CreditCeilingError, type Journal, type JournalEntry } from "../../src/index.js";
import { isOpenIntent } from "../../src/journal/entries.js";
import type { FileJournalContent } from "../../src/node/file-journal.js";
import { costOfEntry, priceOfEntry } from "../entry-cost.js";
import type { Confirmation } from "./confirmation.js";
import { ToolRefusal } from "./refusal.js";

interface ServerBudgetOptions {
  journal: Required<Journal>;
  /** Reads all entries of the journal. */
  readJournal: () => Promise<FileJournalContent>;
  /** The most that all orders of the journal may cost together, in credits. */
  maxCredits: number;
  /** Whether each order needs a confirmation of its price. */
  confirmation: Pick<Confirmation, "isPossible">;
}

/**
 * The ceiling of a server. What is spent is derived from the journal alone, so that it survives a restart, and holds for
 * several servers with one journal. The price of an order counts from the intent until the task is known to be refunded.
 */
export class ServerBudget {
  readonly #options: ServerBudgetOptions;
  readonly #refusals = new Map<string, ToolRefusal>();
  /** The price that the user has accepted for an order. */
  readonly #allowed = new Map<string, number>();
  #lastReservation: Promise<unknown> = Promise.resolve();

  constructor(options: ServerBudgetOptions) {
    this.#options = options;
  }

  /** The journal for the client: it refuses the intent of an order that does not fit. */
  readonly journal: Required<Journal> = {
    get: (key) => this.#options.journal.get(key),
    put: (key, entry, previous) => {
      if (isOpenIntent(entry)) return this.#reserve(key, entry, previous);
      return this.#options.journal.put(key, entry, previous);
    },
    delete: (key, revision) => this.#options.journal.delete(key, revision),
    open: () => this.#options.journal.open(),
    unacknowledged: (since) => this.#options.journal.unacknowledged(since),
  };

  /** From now on, the order can be sent at this price, until `disallow`. */
  allow(order: string, credits: number): void {
    this.#allowed.set(order, credits);
  }

  isAllowed(order: string, credits: number): boolean {
    return this.#allowed.get(order) === credits;
  }

  disallow(order: string): void {
    this.#allowed.delete(order);
  }

  /** The credits that new orders may still cost; below 0 if the orders of the journal have cost more. */
  async creditsLeft(): Promise<number> {
    const { maxCredits, used } = await this.#ceiling();
    return maxCredits - used;
  }

  /** Checks that an order fits which is not in the journal yet, or several together without a name. @throws Refusal */
  async check(order: string | undefined, credits: number): Promise<void> {
    const ceiling = await this.#ceiling();
    try {
      ceiling.request(order, credits).reserve();
    } catch (error) {
      throw error instanceof CreditCeilingError ? refusalOf(error, order === undefined) : error;
    }
  }

  /** Why the last intent of an order was refused, once. */
  takeRefusal(order: string): ToolRefusal | null {
    const refusal = this.#refusals.get(order) ?? null;
    this.#refusals.delete(order);
    return refusal;
  }

  /** Writes an intent if its price fits. One at a time, so that each reads the intents before it. */
  #reserve(key: string, entry: JournalEntry, previous: string | null): Promise<boolean> {
    const reserved = this.#lastReservation.then(async () => {
      const credits = priceOfEntry(entry);
      const isConfirmed = !this.#options.confirmation.isPossible() || this.isAllowed(key, credits);
      const check = () =>
        (isConfirmed ? this.check(key, credits) : refuseUnconfirmed(key)).catch((error: unknown) => {
          if (error instanceof ToolRefusal) this.#refusals.set(key, error);
          throw error;
        });
      await check();
      if (!(await this.#options.journal.put(key, entry, previous))) return false;
      // Another server may have written an intent at the same time. If this throws, the run removes its own.
      await check();
      return true;
    });
    this.#lastReservation = reserved.catch(() => {});
    return reserved;
  }

  /** The ceiling with the cost of every order in the journal. */
  async #ceiling(): Promise<CreditCeiling> {
    const { entries, damaged } = await this.#options.readJournal();
    const ceiling = new CreditCeiling(this.#options.maxCredits);
    for (const [order, entry] of entries) ceiling.request(order, costOfEntry(entry)).count();
    for (const _ of damaged) ceiling.request(undefined, HIGHEST_PRICE).count();
    return ceiling;
  }
}

/** The key was freed after its entry had been read, so that the user has not confirmed the price. */
async function refuseUnconfirmed(order: string): Promise<never> {
  throw new ToolRefusal(
    `The user has not confirmed the price of order ${JSON.stringify(order)}. Nothing was sent or charged. Call again with the same order.`,
  );
}

function refusalOf(error: CreditCeilingError, isOfSeveral: boolean): ToolRefusal {
  const { credits, spentCredits, maxCredits } = error;
  const left = Math.max(0, maxCredits - spentCredits);
  const cost = isOfSeveral ? "The orders cost" : "The order costs";
  const next = isOfSeveral
    ? "Order fewer, or report this to the user: only a restart of the server with a higher --max-credits allows all of them."
    : "Report this to the user: only a restart of the server with a higher --max-credits allows more. Further paid calls at this price are refused as well.";
  return new ToolRefusal(
    `${cost} ${credits} credits, and ${left} of the ${maxCredits} that this server may spend are left. Nothing was sent or charged. ${next}`,
  );
}
