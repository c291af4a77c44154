import { API_PREFIX } from "../../src/contract/service.js";
import { EMULATOR_KEY } from "../core/accounts.js";
import { checkOptionNames, invalidOption, parseOption } from "../core/checks.js";
import { creditsSchema } from "../core/ledger.js";
import type { Policy } from "../core/policy-fields.js";
import type { Limits } from "../core/rate-limit.js";
import type { Snapshot } from "../core/state.js";
import { isProviderOrigin } from "../http/service.js";
import type { ClockMode } from "../time/clock.js";

/** The state that an emulator begins with, at its creation and after each reset. */
export interface ResetOptions {
  /** The seed of all ids, durations and songs: a whole number. @defaultValue 1 */
  seed?: number | undefined;
  /** The credits of the first account: a whole number. @defaultValue 1000 */
  credits?: number | undefined;
  /** What the interface leaves open; `"vary"` draws every field from the seed. @defaultValue every default */
  policy?: Partial<Policy> | "vary" | undefined;
  /** The rate limit of every key. @defaultValue 120 requests in 60 s */
  limits?: Partial<Limits> | undefined;
}

/**
 * Options of an emulator. Each must be an own property of the object: one that is inherited, such as a getter of a class,
 * is refused, and one on `Object.prototype` is ignored.
 */
export interface EmulatorOptions extends ResetOptions {
  /** `"virtual"`: time skips to the next wake-up; `"real"`: it follows the system's clock. @defaultValue "virtual" */
  clock?: ClockMode | undefined;
  /**
   * The API key of the first account. It must begin with `emu_`. With a snapshot, it replaces the snapshot's.
   *
   * @defaultValue one from the seed, or the snapshot's
   */
  apiKey?: string | undefined;
  /**
   * The service address that the emulator replaces, without `/api/v1`: for an application whose address can't be changed.
   * It may have a path: `https://api.example.com/music`. `emulator.fetch` and the MSW handlers respond below it, and
   * `audio_url` begins with it. Cover art and a provider's own files keep the origins `https://provider-a.test` and
   * `https://provider-b.test`. On a port, the address is the port's own.
   *
   * @defaultValue "https://api.async-music.test"
   */
  url?: string | undefined;
  /** The state to continue from. Seed, credits, policy and limits are then the snapshot's. */
  snapshot?: Snapshot | undefined;
}

const RESET_OPTIONS = ["seed", "credits", "policy", "limits"] as const;
const EMULATOR_OPTIONS = [...RESET_OPTIONS, "clock", "apiKey", "snapshot", "url"] as const;

/** @throws RangeError that names the invalid option. */
export function checkResetOptions(given: ResetOptions): ResetOptions {
  return checkOptions(checkOptionNames(given, RESET_OPTIONS));
}

/** Returns the options with a normalized address. @throws RangeError that names the invalid option. */
export function checkOptions(given: EmulatorOptions): EmulatorOptions {
  const options = checkOptionNames(given, EMULATOR_OPTIONS);
  const { seed, credits, clock, apiKey, url } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw invalidOption("seed", "be a whole number", seed);
  if (credits !== undefined) parseOption("credits", creditsSchema, credits);
  if (clock !== undefined && !["virtual", "real"].includes(clock))
    throw invalidOption("clock", "be virtual or real", clock);
  if (apiKey !== undefined && !EMULATOR_KEY.test(apiKey)) {
    throw new RangeError(
      "Expected `apiKey` to begin with `emu_`, so that it can't be a real one, and to have no blanks",
    );
  }
  return url === undefined ? options : { ...options, url: checkUrl(url) };
}

/** In the path, only characters that MSW takes literally are allowed. */
function checkUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isAddress = url !== null && ["http:", "https:"].includes(url.protocol);
  if (!isAddress) throw invalidOption("url", "be an http or https address", value);
  if (url.username || url.password)
    throw new RangeError("Expected `url` to have no user name and no password");
  if (url.search || url.hash || !/^[\w./~%-]*$/.test(url.pathname)) {
    throw invalidOption(
      "url",
      "have no query, no fragment, and in its path only letters, digits and ./~%_-",
      value,
    );
  }
  const address = (url.origin + url.pathname).replace(/(?<!\/)\/+$/, "");
  if (address.endsWith(API_PREFIX)) throw invalidOption("url", `end before ${API_PREFIX}`, value);
  if (isProviderOrigin(url.origin)) throw invalidOption("url", "be no provider's address", value);
  return address;
}
