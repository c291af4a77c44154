import { describe } from "vitest";
import { describeContract } from "./describe-contract.js";
import type { Mount } from "./mount.js";
import { describeSavedAudio } from "./suite/saved-audio.js";
import { openerFor } from "./world.js";

/** The contract, and what the SDK promises besides where there is a file system. */
export function describeContractOnNode(name: string, mount: Mount): void {
  describeContract(name, mount);
  describe(`the SDK on Node and the emulator, by ${name}`, () => describeSavedAudio(openerFor(mount)));
}
