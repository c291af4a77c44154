import { InvalidOptionError, shown } from "../errors/base.js";

/** What all keys in Redis begin with, unless the user says otherwise. */
export function checkPrefix(prefix: string = "async-music"): string {
  if (typeof prefix === "string" && prefix !== "") return prefix;
  throw new InvalidOptionError("prefix", "be a text that is not empty");
}

export function checkWhole(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidOptionError(option, "be a whole number from 1 up", shown(value));
}
