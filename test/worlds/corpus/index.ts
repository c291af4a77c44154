import type { App } from "async-music/emulator/worlds";
import { RAW_BUGS } from "./raw-bugs.js";
import { RawShop } from "./raw-shop.js";
import { SDK_BUGS } from "./sdk-bugs.js";
import { BatchShop, RetakingShop, SdkShop, SettlingShop, StoringShop, TwoStepShop } from "./sdk-shop.js";

/** Programs with one planted bug each, by name. */
export const BUGS: Record<string, App> = { ...RAW_BUGS, ...SDK_BUGS };

/** The same programs without a bug. */
export const RIGHT: Record<string, App> = {
  "without the SDK": new RawShop(),
  "one order after the other": new SdkShop(),
  "as a batch": new BatchShop(),
  "submitted first": new TwoStepShop(),
  "with outcomes settled by evidence": new SettlingShop(),
  "with another take after a failure": new RetakingShop(),
  "with its audio stored": new StoringShop(),
};
