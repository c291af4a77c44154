/** A binary heap: the smallest item by `order` is always at hand. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #order: (item: Item) => number;

  constructor(order: (item: Item) => number) {
    this.#order = order;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const order = this.#order(item);
    let index = this.#items.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#items[parent];
      if (above === undefined || this.#order(above) <= order) break;
      this.#items[index] = above;
      index = parent;
    }
    this.#items[index] = item;
  }

  pop(): Item | undefined {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return top;
  }

  #sink(item: Item): void {
    const order = this.#order(item);
    let index = 0;
    for (;;) {
      const child = this.#smallerChild(index);
      const below = this.#items[child];
      if (below === undefined || this.#order(below) >= order) break;
      this.#items[index] = below;
      index = child;
    }
    this.#items[index] = item;
  }

  #smallerChild(index: number): number {
    const left = 2 * index + 1;
    const [first, second] = [this.#items[left], this.#items[left + 1]];
    return first !== undefined && second !== undefined && this.#order(second) < this.#order(first) ? left + 1 : left;
  }
}
