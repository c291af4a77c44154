import { BASSES } from "./basses.js";
import { ELECTRONIC_INSTRUMENTS } from "./electronic.js";
import { HELD_INSTRUMENTS } from "./held.js";
import { PLUCKED_INSTRUMENTS } from "./plucked.js";

export const INSTRUMENTS = {
  ...PLUCKED_INSTRUMENTS,
  ...HELD_INSTRUMENTS,
  ...ELECTRONIC_INSTRUMENTS,
  ...BASSES,
};

export type InstrumentName = keyof typeof INSTRUMENTS;
