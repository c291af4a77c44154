/** One section of the interface, sentence by sentence. No sentence stands here: only its number, and our own words. */
export interface Section {
  name: string;
  sentences: readonly Sentence[];
}

/**
 * Where it stands in its section, what it is about, and what shows that it holds. A number counts the sentences outside
 * tables, without lead-ins that end in a colon and with each item of a list; a text names a table's row by its first cells.
 */
export type Sentence = readonly [
  at: number | string,
  about: string,
  ...shownBy: readonly [Shown, ...Shown[]],
];

/**
 * `"file: title"` is a test, of `test/file.test.ts`, or a row of a table or a scenario of a suite, of `test/file.ts`.
 * `"policy: field"` is the choice that an open point has in the emulator. `"document"`: it is about the document itself.
 */
export type Shown = `${string}: ${string}` | "document";

export function section(name: string, ...sentences: readonly Sentence[]): Section {
  return { name, sentences };
}
