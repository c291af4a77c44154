import { describe } from "vitest";
import type { Adapter } from "./adapter.js";
import { describeContract } from "./describe-contract.js";
import { describeSavedAudio } from "./suite/saved-audio.js";
import { openerFor } from "./world.js";

/** The contract, and what the SDK promises besides where there is a file system. */
export function describeContractOnNode(name: string, adapter: Adapter): void {
  describeContract(name, adapter);
  describe(`the SDK on Node and the emulator, by ${name}`, () => describeSavedAudio(openerFor(adapter)));
}
