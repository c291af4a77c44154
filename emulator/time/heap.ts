/** A binary heap, whose first item by `comesBefore` is read without searching. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #comesBefore: (item: Item, other: Item) => boolean;

  constructor(comesBefore: (item: Item, other: Item) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    let index = this.#items.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#items[parent];
      if (above === undefined || !this.#comesBefore(item, above)) break;
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

  /** All items, unordered. */
  items(): readonly Item[] {
    return this.#items;
  }

  /** Removes and returns all items, unordered. */
  drain(): Item[] {
    return this.#items.splice(0);
  }

  #sink(item: Item): void {
    let index = 0;
    for (;;) {
      const child = this.#firstChild(index);
      const below = this.#items[child];
      if (below === undefined || !this.#comesBefore(below, item)) break;
      this.#items[index] = below;
      index = child;
    }
    this.#items[index] = item;
  }

  #firstChild(index: number): number {
    const left = 2 * index + 1;
    const [first, second] = [this.#items[left], this.#items[left + 1]];
    return first !== undefined && second !== undefined && this.#comesBefore(second, first) ? left + 1 : left;
  }
}
