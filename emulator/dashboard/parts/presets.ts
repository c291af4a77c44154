/** By name: what the page calls a value, and the value. */
export type Presets<Value> = Readonly<Record<string, readonly [text: string, value: Value]>>;

export function choicesOf(presets: Presets<unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(presets).map(([name, [text]]) => [name, text]));
}

/** What the page calls a value; another one than the presets in JSON. */
export function presetText(presets: Presets<unknown>, value: unknown): string {
  const json = JSON.stringify(value);
  return Object.values(presets).find(([, each]) => JSON.stringify(each) === json)?.[0] ?? json;
}
