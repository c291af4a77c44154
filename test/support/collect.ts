/** Everything that is yielded. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const seen: Item[] = [];
  for await (const each of items) seen.push(each);
  return seen;
}

/** A callback, and the arguments of all its calls. */
export function recorder<Value>(): { seen: Value[]; note: (value: Value) => void } {
  const seen: Value[] = [];
  return { seen, note: (value) => void seen.push(value) };
}
