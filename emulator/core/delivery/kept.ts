interface Entry<Value> {
  value: Promise<Value>;
  bytes: number;
  goneAt: number;
}

/** What was made and may be asked for again: kept while there is room, and made once for all who ask meanwhile. */
export class Kept<Value> {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #mostBytes: number;
  readonly #bytesOf: (value: Value) => number;

  constructor(mostBytes: number, bytesOf: (value: Value) => number) {
    this.#mostBytes = mostBytes;
    this.#bytesOf = bytesOf;
  }

  async get(name: string, goneAt: number, make: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(name) ?? { value: make(), bytes: 0, goneAt };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    try {
      const value = await entry.value;
      entry.bytes = this.#bytesOf(value);
      this.#makeRoom();
      return value;
    } catch (error) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      throw error;
    }
  }

  dropGone(now: number): void {
    for (const [name, { goneAt }] of this.#entries) if (now >= goneAt) this.#entries.delete(name);
  }

  #makeRoom(): void {
    let bytes = [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [name, entry] of this.#entries) {
      if (bytes <= this.#mostBytes) return;
      this.#entries.delete(name);
      bytes -= entry.bytes;
    }
  }
}
