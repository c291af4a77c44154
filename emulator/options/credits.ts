import { invalidOption } from "./invalid-option.js";

/** @throws RangeError for anything but a whole number of 0 or more. */
export function checkCredits(credits: number): void {
  if (Number.isSafeInteger(credits) && credits >= 0) return;
  throw invalidOption("credits", "be a whole number of 0 or more", credits);
}
