import * as z from "zod/mini";
import { END_OF_YEAR_9999 } from "../../../time/clock.js";
import { numberBetween, wholeNumber } from "../../checks.js";
import { MOST_CREDITS } from "../../ledger.js";

export const text = z.string("be a string");
export const flag = z.boolean("be true or false");
export const count = wholeNumber(0, Number.MAX_SAFE_INTEGER);
export const credits = wholeNumber(0, MOST_CREDITS);
/** Milliseconds since the epoch. What is derived from it, such as the end of the longest task, is still a date. */
export const time = numberBetween(-8.64e15, END_OF_YEAR_9999);
export const number = z.number("be a number");
export const nullableText = z.nullable(text);

export function list<Item extends z.core.SomeType>(item: Item) {
  return z.array(item, "be a list");
}

export function record<Value extends z.core.SomeType>(value: Value) {
  return z.record(z.string(), value, "be an object");
}
