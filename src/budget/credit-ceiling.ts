import { CreditCeilingError } from "../errors/base.js";

/** What is counted for one order. The requests with its key share it. */
interface CountedOrder {
  readonly key: string | undefined;
  /** The credits that are reserved or spent. */
  credits: number;
  /** The requests that share it and have not ended. */
  holders: number;
  /** `"counted"`: not checked against the ceiling. The credits of a settled order pay for no further POST. */
  state: "counted" | "reserved" | Settled;
}

/** `"spent"`: the credits are charged. `"unresolved"`: they may be, and stay reserved. */
type Settled = "spent" | "unresolved";

/** Keeps the credits of all orders together, reserved and spent, at or under a ceiling. */
export class CreditCeiling {
  readonly maxCredits: number;
  /** The credits that are reserved or spent: more than the ceiling if more was counted than it allows. */
  used = 0;
  /** Those of `used` that are reserved. */
  reserved = 0;
  readonly #orders = new Map<string, CountedOrder>();

  constructor(maxCredits: number) {
    this.maxCredits = maxCredits;
  }

  /** A request of the order with this key, without a key of an order of its own. Nothing is reserved yet. */
  request(key: string | undefined, credits: number): Reservation {
    const known = key === undefined ? undefined : this.#orders.get(key);
    return new Reservation(this, known ?? this.add(key), credits);
  }

  /** @internal Replaces the order with this key, if there is one: what that one has spent stays counted. */
  add(key: string | undefined): CountedOrder {
    const order: CountedOrder = { key, credits: 0, holders: 0, state: "counted" };
    if (key !== undefined) this.#orders.set(key, order);
    return order;
  }

  /** @internal */
  remove(order: CountedOrder): void {
    if (order.key !== undefined && this.#orders.get(order.key) === order) this.#orders.delete(order.key);
  }
}

/** The price of one request. It ends with `settle`, `free` or `refund`. */
export class Reservation {
  readonly #ceiling: CreditCeiling;
  readonly #credits: number;
  #order: CountedOrder;

  constructor(ceiling: CreditCeiling, order: CountedOrder, credits: number) {
    this.#ceiling = ceiling;
    this.#credits = credits;
    this.#order = order;
    order.holders++;
  }

  /** Whether the order has credits already, for example those of an earlier request with its key. */
  get isCovered(): boolean {
    return this.#order.credits > 0;
  }

  /** Counts the price, even if it does not fit: the request was sent before, or may have been. */
  count(isCharged = false): void {
    const state = isCharged ? "spent" : this.#order.state;
    this.#change({ credits: Math.max(this.#order.credits, this.#credits), state });
  }

  /**
   * Reserves the price, unless the order has it reserved. What another request of the order has spent pays for no other POST.
   *
   * @throws CreditCeilingError when the price does not fit
   */
  reserve(): void {
    const { key, state } = this.#order;
    // The journal's key is free: what was counted for it has sent nothing.
    if (state === "counted") this.#change({ credits: 0 });
    else if (state !== "reserved") {
      this.free();
      this.#order = this.#ceiling.add(key);
      this.#order.holders++;
    }
    const credits = this.#credits;
    if (this.#order.state === "reserved" && credits <= this.#order.credits) return;
    const { maxCredits, used } = this.#ceiling;
    const own = this.#order;
    const spentCredits = used - own.credits;
    const reserved = this.#ceiling.reserved - reservedOf(own);
    if (spentCredits + credits > maxCredits)
      throw new CreditCeilingError({ credits, spentCredits, reserved, maxCredits });
    this.#change({ credits: Math.max(own.credits, credits), state: "reserved" });
  }

  /** The task succeeded, or may exist. */
  settle(state: Settled): void {
    if (this.#order.state !== "spent") this.#change({ state });
    this.free();
  }

  /** The task of the order was refunded, for every request. */
  refund(): void {
    this.#change({ credits: 0, state: "counted" });
    this.free();
  }

  /**
   * Ends the request. Credits that are reserved, and not for another request of the order, are free again. What was counted stays
   * counted: the error of this run says nothing about the task of an earlier one.
   */
  free(): void {
    this.#order.holders--;
    const { holders, state } = this.#order;
    if (holders > 0 || (state !== "reserved" && this.isCovered)) return;
    this.#change({ credits: 0 });
    this.#ceiling.remove(this.#order);
  }

  #change(to: Partial<Pick<CountedOrder, "credits" | "state">>): void {
    const order = this.#order;
    this.#ceiling.used -= order.credits;
    this.#ceiling.reserved -= reservedOf(order);
    Object.assign(order, to);
    this.#ceiling.used += order.credits;
    this.#ceiling.reserved += reservedOf(order);
  }
}

function reservedOf({ credits, state }: CountedOrder): number {
  return state === "spent" ? 0 : credits;
}
