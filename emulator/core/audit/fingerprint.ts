import { Hash } from "../random/hash.js";

/** A mark of what JSON says: the same however it is written, and in whichever order the fields of its objects stand. */
export function fingerprintOf(value: unknown): string {
  return hashOf(value).toString();
}

/** A mark of a text that is no JSON, and so not the mark of any. */
export function fingerprintOfText(text: string): string {
  return new Hash().add("?").add(text).toString();
}

/** The first letter says of which kind it is. */
function hashOf(value: unknown): Hash {
  const hash = new Hash();
  if (typeof value === "string") return hash.add('"').add(value);
  if (typeof value !== "object" || value === null) return hash.add(String(value));
  if (Array.isArray(value)) return value.reduce((list, each) => list.addHash(hashOf(each)), hash.add("["));
  hash.add("{");
  for (const [name, each] of Object.entries(value))
    hash.addInAnyOrder(new Hash().add(name).addHash(hashOf(each)));
  return hash;
}
