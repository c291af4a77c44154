import { CreditCeilingError } from "../errors/base.js";

/** What is counted for one order. The requests with its key share it. */
interface Order {
  readonly key: string | undefined;
  /** The credits that are reserved or spent. */
  credits: number;
  /** The requests that share it and have not ended. */
  holders: number;
  /** `"counted"`: not checked against the ceiling. `"spent"`: the credits may be charged, and pay for no further POST. */
  state: "counted" | "reserved" | "spent";
}

/** Keeps the credits of all orders together, reserved and spent, at or under a ceiling. */
export class CreditCeiling {
  readonly #maxCredits: number;
  readonly #orders = new Map<string, Order>();
  #used = 0;

  constructor(maxCredits: number) {
    this.#maxCredits = maxCredits;
  }

  /** The credits that are neither reserved nor spent; below 0 if more was counted than the ceiling allows. */
  get creditsLeft(): number {
    return this.#maxCredits - this.#used;
  }

  /** A request of an order, without a key of an order of its own. Nothing is reserved yet. */
  request(key: string | undefined, credits: number): Reservation {
    return new Reservation(this, key, credits);
  }

  /** @internal */
  join(key: string | undefined): Order {
    const order = (key === undefined ? undefined : this.#orders.get(key)) ?? this.add(key);
    order.holders++;
    return order;
  }

  /** @internal A new order, which replaces the one with its key: what that one has spent stays counted. */
  add(key: string | undefined): Order {
    const order: Order = { key, credits: 0, holders: 0, state: "counted" };
    if (key !== undefined) this.#orders.set(key, order);
    return order;
  }

  /** @internal */
  count(order: Order, credits: number): void {
    this.#used += credits - order.credits;
    order.credits = credits;
  }

  /** @internal The only check against the ceiling. @throws CreditCeilingError */
  reserve(order: Order, credits: number): void {
    if (order.state === "reserved" && credits <= order.credits) return;
    const spentCredits = this.#used - order.credits;
    const maxCredits = this.#maxCredits;
    if (spentCredits + credits > maxCredits)
      throw new CreditCeilingError({ credits, spentCredits, maxCredits });
    this.count(order, Math.max(order.credits, credits));
    order.state = "reserved";
  }

  /** @internal */
  leave(order: Order): void {
    order.holders--;
    if (order.holders > 0 || order.state === "spent") return;
    this.count(order, 0);
    if (order.key !== undefined && this.#orders.get(order.key) === order) this.#orders.delete(order.key);
  }
}

/** The price of one request. It ends with `settle`, `free` or `refund`. */
export class Reservation {
  readonly #ceiling: CreditCeiling;
  readonly #credits: number;
  #order: Order;

  /** @internal */
  constructor(ceiling: CreditCeiling, key: string | undefined, credits: number) {
    this.#ceiling = ceiling;
    this.#credits = credits;
    this.#order = ceiling.join(key);
  }

  /** Whether the order has credits already, for example those of an earlier request with its key. */
  get isCovered(): boolean {
    return this.#order.credits > 0;
  }

  /** Counts the price, even if it does not fit: the request was sent before, or may have been. */
  count(): void {
    this.#ceiling.count(this.#order, Math.max(this.#order.credits, this.#credits));
  }

  /** Reserves the price, unless it is reserved. After another request has spent the order's credits, it is reserved again. @throws CreditCeilingError */
  reserve(): void {
    if (this.#order.state === "spent") {
      const { key } = this.#order;
      this.#ceiling.leave(this.#order);
      this.#order = this.#ceiling.add(key);
      this.#order.holders++;
    }
    this.#ceiling.reserve(this.#order, this.#credits);
  }

  /** The credits are frozen or charged, or may be. */
  settle(): void {
    this.#order.state = "spent";
    this.#ceiling.leave(this.#order);
  }

  /** Nothing was charged for this request. The other requests of its order keep the credits. */
  free(): void {
    this.#ceiling.leave(this.#order);
  }

  /** The task of the order was refunded, for every request. */
  refund(): void {
    this.#order.state = "counted";
    this.#ceiling.count(this.#order, 0);
    this.#ceiling.leave(this.#order);
  }
}
