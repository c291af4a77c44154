import { describe } from "vitest";
import { type Kit, testKit } from "./kit.js";
import { describeAccounts } from "./suite/accounts.js";
import { describeAudio } from "./suite/audio.js";
import { describeChains } from "./suite/chains.js";
import { describeCredits } from "./suite/credits.js";
import { describeErrors } from "./suite/errors.js";
import { describeFaults } from "./suite/faults.js";
import { describeInvoices } from "./suite/invoices.js";
import { describeRateLimit } from "./suite/rate-limit.js";
import { describeTasks } from "./suite/tasks.js";
import type { Adapter } from "./world.js";
import { type Open, openerFor } from "./world.js";

/** The contract tests of the SDK and the service in every runtime, with one adapter of the emulator. */
export function describeContract(name: string, adapter: Adapter): void {
  const open = openerFor(adapter);
  describe(`the SDK and the emulator, by ${name}`, () => {
    describeCore(open, testKit);
    describeAudio(open, testKit);
    describeInvoices(open, testKit);
  });
}

/** All contract tests without the audio, which takes real time to render. */
export function describeCore(open: Open, kit: Kit): void {
  describeTasks(open, kit);
  describeChains(open, kit);
  describeCredits(open, kit);
  describeErrors(open, kit);
  describeFaults(open, kit);
  describeAccounts(open, kit);
  describeRateLimit(open, kit);
}
