import * as z from "zod/mini";
import { API_PREFIX } from "../../src/contract/service.js";
import { EMULATOR_KEY_FORM, KEY_RULE } from "../core/accounts.js";
import {
  checkOptionNames,
  invalidField,
  invalidValue,
  oneOf,
  parseOption,
  wholeNumber,
} from "../core/checks.js";
import { creditsSchema } from "../core/ledger.js";
import { copySeedFile } from "../core/seed-file/read.js";
import { inProcessOrigins } from "../http/service.js";
import type { EmulatorOptions } from "./emulator.js";

export const RESET_OPTIONS = ["seed", "future", "credits", "policy", "limits"] as const;
const EMULATOR_OPTIONS = [
  ...RESET_OPTIONS,
  "clock",
  "apiKey",
  "snapshot",
  "seedFile",
  "url",
  "exchangeBytes",
] as const;

export function checkEmulatorOptions(
  given: EmulatorOptions,
  known: readonly (keyof EmulatorOptions)[] = EMULATOR_OPTIONS,
): EmulatorOptions {
  // With every name as an own property, so that a polluted `Object.prototype` sets none of those that `known` lacks.
  const options = checkOptionNames(checkOptionNames(given, known), EMULATOR_OPTIONS);
  parseOption("", simpleOptionsSchema, options);
  const { apiKey, url, seedFile } = options;
  if (apiKey !== undefined && !EMULATOR_KEY_FORM.test(apiKey)) {
    throw invalidField("apiKey", `must ${KEY_RULE}`);
  }
  return {
    ...options,
    ...(url !== undefined && { url: checkUrl(url) }),
    ...(seedFile !== undefined && { seedFile: copySeedFile(seedFile) }),
  };
}

const simpleOptionsSchema = z.object({
  seed: z.optional(z.int("be a whole number")),
  future: z.optional(z.int("be a whole number")),
  credits: z.optional(creditsSchema),
  clock: z.optional(oneOf("virtual", "real")),
  exchangeBytes: z.optional(wholeNumber(0, 2 ** 31)),
});

/** The path may contain only characters that have no special meaning in MSW's path patterns. */
function checkUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isAddress = url !== null && ["http:", "https:"].includes(url.protocol);
  if (!isAddress) throw invalidValue("url", "be an http or https address", value);
  if (url.username || url.password) throw new RangeError("`url` must have no user name and no password.");
  if (url.search || url.hash || !/^[\w./~%-]*$/.test(url.pathname)) {
    const rule = "have no query, no fragment, and in its path only letters, digits and ./~%_-";
    throw invalidValue("url", rule, value);
  }
  const address = (url.origin + url.pathname).replace(/(?<!\/)\/+$/, "");
  if (address.endsWith(API_PREFIX))
    throw invalidValue("url", `end before ${API_PREFIX}, which clients append`, value);
  if (Object.values(inProcessOrigins().providers).includes(url.origin))
    throw invalidValue("url", "differ from the providers' addresses", value);
  return address;
}
