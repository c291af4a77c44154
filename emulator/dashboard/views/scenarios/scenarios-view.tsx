import { FaultSection } from "./faults.js";
import { LimitSection } from "./limits.js";
import { OutcomeSection } from "./outcomes.js";
import { PolicySection } from "./policy.js";
import { ResetSection } from "./reset.js";
import { SnapshotSection } from "./snapshot.js";

/** Bad days, on purpose: what is to go wrong, and what the interface leaves open. */
export function ScenariosView() {
  return (
    <>
      <h1>Scenarios</h1>
      <div class="columns">
        <FaultSection />
        <OutcomeSection />
      </div>
      <PolicySection />
      <div class="columns thirds">
        <LimitSection />
        <SnapshotSection />
        <ResetSection />
      </div>
    </>
  );
}
