import { isRecord } from "../../src/contract/service.js";
import type { AsyncMusic } from "../../src/index.js";
import { type ObservedFields, totalField, type Value } from "./fields.js";
import type { RecordedResponse } from "./wire.js";

/** Balance and usage, as one object. */
export type AccountReading = Record<string, unknown>;

const WATCHED_NUMBERS = [
  "available",
  "frozen",
  "total",
  "tasks_created",
  "credits_used",
  "credits_topped_up",
];

/** Sends a read. @throws if there is no response */
export type Observe = (call: () => PromiseLike<unknown>) => Promise<RecordedResponse>;

/**
 * What the check has spent, by what the service said and by what is gone from its balance, and which changes of the
 * account no request of the check explains.
 */
export class AccountWatch {
  readonly changes: { test: string; changes: ObservedFields }[] = [];
  /** Spendable credits at the start; `null` if the balance has none. */
  readonly available: number | null;
  /** Credits that were frozen at the start are those of other tasks. */
  readonly #hadFrozen: boolean;
  readonly #client: AsyncMusic;
  readonly #signal: AbortSignal;
  readonly #observe: Observe;
  /** As last read; `null` if requests have changed it since. */
  #last: AccountReading | null = null;
  #left: number | null;
  /** The most that was gone at any time: a refund does not make a charge above the ceiling good. */
  #mostGone = 0;
  #toppedUpAtStart: number | null = null;
  #toppedUp = 0;
  /** Credits of tasks that were not refunded. */
  #charged = 0;
  /** By how much the service exceeded a documented price. It may do so again. */
  #surcharge = 0;

  constructor(balance: Record<string, unknown>, client: AsyncMusic, signal: AbortSignal, observe: Observe) {
    this.available = statedNumber(balance["available"]);
    this.#left = this.available;
    this.#hadFrozen = Number(balance["frozen"]) > 0;
    this.#client = client;
    this.#signal = signal;
    this.#observe = observe;
  }

  /** Reads balance and usage. */
  async read(): Promise<AccountReading> {
    const signal = this.#signal;
    const balance = dataOf(await this.#observe(() => this.#client.account.balance({ signal })));
    this.#left = statedNumber(balance["available"]);
    const usage = dataOf(await this.#observe(() => this.#client.account.usage({ signal })));
    const account = { ...balance, ...usage };
    const toppedUp = statedNumber(account["credits_topped_up"]);
    this.#toppedUpAtStart ??= toppedUp;
    this.#toppedUp = Math.max(0, (toppedUp ?? 0) - (this.#toppedUpAtStart ?? 0));
    this.#mostGone = Math.max(this.#mostGone, this.gone ?? 0);
    this.#last = account;
    return account;
  }

  /** The account as last read, or a new read if a request has been sent since. */
  async current(): Promise<AccountReading> {
    return this.#last ?? (await this.read());
  }

  /** A request is sent, which may change the account. */
  forget(): void {
    this.#last = null;
  }

  /** Credits that are gone from the balance since the start, by the check or by other programs; `null` if it does not show them. */
  get gone(): number | null {
    if (this.available === null || this.#left === null) return null;
    return this.available + this.#toppedUp - this.#left;
  }

  /** The credits of the check. After another program used the account, its balance does not show them. */
  get spent(): number {
    return this.changes.length > 0 ? this.#charged : Math.max(this.#charged, this.gone ?? 0);
  }

  /** Why no further request may be sent that is charged; `null` if one may. */
  stopReason(maxCredits: number): string | null {
    if (this.gone === null)
      return "The balance has no number of available credits, so a charge would not show.";
    if (this.#mostGone <= maxCredits) return null;
    return `Stopped: ${this.#mostGone} credits were gone from the balance, and --max-credits allows ${maxCredits}.`;
  }

  canAfford(credits: number, maxCredits: number): boolean {
    return Math.max(this.#charged, this.gone ?? 0) + credits + this.#surcharge <= maxCredits;
  }

  /** Counts a task, or a request whose outcome is unknown. `stated` is the price by the response. */
  charge(price: number, stated: number | null, isCharged: boolean): number {
    const cost = Math.max(price, stated ?? 0);
    if (isCharged) this.#charged += cost;
    this.#surcharge = Math.max(this.#surcharge, cost - price);
    return cost;
  }

  refund(cost: number): void {
    this.#charged -= cost;
  }

  /** Notes changes that no request of the check explains. */
  noteChanges(
    test: string,
    before: AccountReading,
    after: AccountReading,
    names: readonly string[] = WATCHED_NUMBERS,
  ): void {
    const all = names.map((name) => [name, numberChange(before, after, name)] as const);
    const changes = Object.fromEntries(all.filter(([, change]) => Number(change)));
    if (Object.keys(changes).length > 0) this.changes.push({ test, changes });
  }

  /** Notes that a task of another program ended. No task of the check is unfinished here. */
  noteEndOfOther(test: string, before: AccountReading, after: AccountReading): void {
    if (this.#hadFrozen && Number(numberChange(before, after, "frozen")) < 0)
      this.noteChanges(test, before, after, ["frozen"]);
  }
}

/** The changes of the credits. Those by the price of the task say so, so that tasks of different prices have equal fields. */
export function creditFields(
  before: AccountReading,
  after: AccountReading,
  charged: unknown,
): ObservedFields {
  const fields: ObservedFields = Object.fromEntries(
    WATCHED_NUMBERS.map((name) => [name, inPrices(numberChange(before, after, name), name, charged)]),
  );
  fields["total"] = totalField(after);
  return fields;
}

function inPrices(change: number | string, name: string, charged: unknown): Value {
  if (name === "tasks_created" || typeof charged !== "number" || charged <= 0) return change;
  if (change === charged) return "+ credits_charged";
  return change === -charged ? "- credits_charged" : change;
}

export function numberChange(before: AccountReading, after: AccountReading, name: string): number | string {
  return difference(statedNumber(after[name]), statedNumber(before[name]));
}

export function difference(
  after: number | null | undefined,
  before: number | null | undefined,
): number | string {
  return typeof after === "number" && typeof before === "number" ? after - before : "unknown";
}

/** A number, also as text: what is gone must show even if the service has the wrong type. */
export function statedNumber(value: unknown): number | null {
  const isText = typeof value === "string" && value.trim() !== "";
  const number = isText ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** The `data` of a response. */
export function dataOf(response: RecordedResponse | null): Record<string, unknown> {
  const data: unknown = Object(response?.body).data;
  return isRecord(data) ? data : {};
}
