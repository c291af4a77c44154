import { describe } from "vitest";
import type { Mount } from "./mount.js";
import { describeAccounts } from "./suite/accounts.js";
import { describeAudio } from "./suite/audio.js";
import { describeChains } from "./suite/chains.js";
import { describeCredits } from "./suite/credits.js";
import { describeErrors } from "./suite/errors.js";
import { describeFaults } from "./suite/faults.js";
import { describeRateLimit } from "./suite/rate-limit.js";
import { describeTasks } from "./suite/tasks.js";
import { openerFor } from "./world.js";

/** What the SDK and the service promise each other in every runtime, held through one way of reaching the emulator. */
export function describeContract(name: string, mount: Mount): void {
  const open = openerFor(mount);
  describe(`the SDK and the emulator, by ${name}`, () => {
    describeTasks(open);
    describeChains(open);
    describeCredits(open);
    describeErrors(open);
    describeFaults(open);
    describeAccounts(open);
    describeRateLimit(open);
    describeAudio(open);
  });
}
