import type { ClockMode } from "./clock/clock.js";
import { EMULATOR_KEY } from "./options/api-key.js";
import { checkCredits } from "./options/credits.js";
import { invalidOption } from "./options/invalid-option.js";
import { checkOptionNames } from "./options/option-names.js";
import type { ResetOptions } from "./state/create-state.js";
import type { Snapshot } from "./state/snapshot.js";

/** What an emulator is made with. */
export interface EmulatorOptions extends ResetOptions {
  /** `"virtual"`: time skips to whenever somebody waits for; `"real"`: it ticks with the wall. @defaultValue "virtual" */
  clock?: ClockMode | undefined;
  /**
   * The API key of the first account; it must begin with `emu_`. With a snapshot it takes the place of the key there.
   *
   * @defaultValue one that is made from the seed, or the snapshot's
   */
  apiKey?: string | undefined;
  /** Begins where this left off. Seed, credits, policy and limits are then the snapshot's. */
  snapshot?: Snapshot | undefined;
}

const RESET_OPTIONS = ["seed", "credits", "policy", "limits"] as const;
const EMULATOR_OPTIONS = [...RESET_OPTIONS, "clock", "apiKey", "snapshot"] as const;

/** @throws RangeError that names the option that is wrong. */
export function checkResetOptions(options: ResetOptions): void {
  checkOptionNames(options, RESET_OPTIONS);
  checkOptions(options);
}

/** @throws RangeError that names the option that is wrong. */
export function checkOptions(options: EmulatorOptions): void {
  checkOptionNames(options, EMULATOR_OPTIONS);
  const { seed, credits, clock, apiKey } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw invalidOption("seed", "be a whole number", seed);
  if (credits !== undefined) checkCredits(credits);
  if (clock !== undefined && !["virtual", "real"].includes(clock))
    throw invalidOption("clock", "be virtual or real", clock);
  if (apiKey !== undefined && !EMULATOR_KEY.test(apiKey)) {
    throw new RangeError(
      "Expected `apiKey` to begin with `emu_`, so that it can't be a real one, and to have no blanks",
    );
  }
}
