/** By name: what the page calls a value, and the value. */
export type Presets<Value> = Readonly<Record<string, readonly [text: string, value: Value]>>;

export function choicesOf(presets: Presets<unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(presets).map(([name, [text]]) => [name, text]));
}

/** What the page calls a value; another one than the presets in JSON. */
export function textOf(presets: Presets<unknown>, value: unknown): string {
  const json = JSON.stringify(value);
  return Object.values(presets).find(([, each]) => JSON.stringify(each) === json)?.[0] ?? json;
}

/** What was added, and where it applies. */
export function Added({ of }: { of: readonly (readonly [text: string, scope: string])[] }) {
  return (
    <ol class="armed">
      {of.map(([text, scope], index) => (
        <li key={index}>
          <strong>{text}</strong>
          <br />
          <small>{scope}</small>
        </li>
      ))}
    </ol>
  );
}
