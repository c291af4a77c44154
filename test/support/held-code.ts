import { vi } from "vitest";
import { held } from "./collect.js";
import { turns } from "./test-clock.js";

/** The path of a source file, for `vi.doMock` in this folder. */
const pathOf = (file: string) => `../../${file}`;

/** Holds the code of a file that is loaded at its first use back until it is released. */
export function holdCode(file: string) {
  const { given: released, give: release } = held();
  vi.doMock(pathOf(file), async (original) => {
    await released;
    return original();
  });
  return { release };
}

/** Makes the code of a file fail to load. */
export function loseCode(file: string): void {
  vi.doMock(pathOf(file), () => {
    throw new TypeError("Failed to fetch dynamically imported module");
  });
}

/** Loads the code of a file as usual. */
export function restoreCode(file: string): void {
  vi.doUnmock(pathOf(file));
}

/** Lets the event loop turn often enough for a virtual clock to skip. */
export const idle = () => turns(20);
