/** Everything that is yielded. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const seen: Item[] = [];
  for await (const each of items) seen.push(each);
  return seen;
}

/** A promise that a test resolves later. */
export function held<Value = void>(): { given: Promise<Value>; give: (value: Value) => void } {
  let give = (_: Value) => {};
  const given = new Promise<Value>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** A callback, and the arguments of all its calls. */
export function recorder<Value>(): { seen: Value[]; note: (value: Value) => void } {
  const seen: Value[] = [];
  return { seen, note: (value) => void seen.push(value) };
}
