/** What waits, by tenant: tenants take turns, and the order within a tenant stays. `null` is for what has no tenant. */
export class Turns<Value> {
  /** The tenants in the order of their turns. */
  readonly #queues = new Map<string | null, Value[]>();

  add(tenant: string | null, value: Value): void {
    const queue = this.#queues.get(tenant);
    if (queue === undefined) this.#queues.set(tenant, [value]);
    else queue.push(value);
  }

  /** Removes the next one; `undefined` if nothing waits. */
  next(): Value | undefined {
    for (const [tenant, queue] of this.#queues) {
      this.#queues.delete(tenant);
      const value = queue.shift();
      if (queue.length > 0) this.#queues.set(tenant, queue);
      return value;
    }
    return undefined;
  }

  /** Removes all, one after the other. */
  *[Symbol.iterator](): Generator<Value, void> {
    for (let value = this.next(); value !== undefined; value = this.next()) yield value;
  }
}
