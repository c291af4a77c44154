/** A key of the emulator's: it can be sent in a header, and can't be mistaken for a real one. */
export const EMULATOR_KEY = /^emu_[\x21-\x7e]{1,200}$/;
