/** The value of a JSON text; `undefined` where it is none, or where there is none. */
export function parseJson(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
