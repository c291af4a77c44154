import type { ClockMode } from "../clock/clock.js";
import type { Limits } from "../limits/limits.js";
import type { Policy } from "../policy/policy.js";
import type { Snapshot } from "../state/snapshot.js";
import { invalidOption } from "./invalid-option.js";

/** What an emulator begins with, at its creation and after each reset. */
export interface ResetOptions {
  /** What all ids, times and songs come from: a whole number. @defaultValue 1 */
  seed?: number | undefined;
  /** The credits of the first account: a whole number. @defaultValue 1000 */
  credits?: number | undefined;
  /** Choices that the interface leaves open; `"vary"` draws all of them from the seed. @defaultValue every default */
  policy?: Partial<Policy> | "vary" | undefined;
  /** The rate limit of every key. @defaultValue 120 requests in 60 s */
  limits?: Partial<Limits> | undefined;
}

/** What an emulator is made with. */
export interface EmulatorOptions extends ResetOptions {
  /** `"virtual"`: time skips to whenever somebody waits for; `"real"`: it ticks with the wall. @defaultValue "virtual" */
  clock?: ClockMode | undefined;
  /** The API key of the first account; it must begin with `emu_`. @defaultValue one that is made from the seed */
  apiKey?: string | undefined;
  /** Begins where this left off. Seed, credits, policy, limits and key are then the snapshot's. */
  snapshot?: Snapshot | undefined;
}

/** What can be sent in a header, and can't be mistaken for a real key. */
const EMULATOR_KEY = /^emu_[\x21-\x7e]{1,200}$/;

/** @throws RangeError that names the option that is wrong. */
export function checkOptions({ seed, credits, clock, apiKey }: EmulatorOptions): void {
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw invalidOption("seed", "be a whole number", seed);
  if (credits !== undefined && !(Number.isSafeInteger(credits) && credits >= 0)) {
    throw invalidOption("credits", "be a whole number of 0 or more", credits);
  }
  if (clock !== undefined && !["virtual", "real"].includes(clock))
    throw invalidOption("clock", "be virtual or real", clock);
  if (apiKey !== undefined && !EMULATOR_KEY.test(apiKey)) {
    throw new RangeError(
      "Expected `apiKey` to begin with `emu_`, so that it can't be a real one, and to have no blanks",
    );
  }
}
