import { invalidOption } from "./invalid-option.js";

/** What an account can be given in all its life: ten thousand million US dollars, and every sum of credits is exact. */
export const MOST_CREDITS = 1e12;

/** @throws RangeError for anything but a whole number of credits that an account can have. */
export function checkCredits(credits: number): void {
  if (Number.isSafeInteger(credits) && credits >= 0 && credits <= MOST_CREDITS) return;
  throw invalidOption("credits", `be a whole number from 0 to ${MOST_CREDITS}`, credits);
}
