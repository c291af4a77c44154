import type { Core } from "../core/core.js";
import { addFault, type FaultRule } from "../core/faults.js";

/** Trouble on demand. */
export interface Faults {
  /**
   * Arms a fault behind those that are armed: of several that match a request, the first fires.
   *
   * @throws RangeError that names the field that is wrong.
   */
  add(rule: FaultRule): void;
  /** The faults that are armed still, and how often each can yet fire: `null` for without end. */
  list(): { rule: FaultRule; left: number | null }[];
  /** Disarms all faults. */
  clear(): void;
}

export function createFaults(core: Core): Faults {
  return {
    add: (rule) => addFault(core.state, rule),
    list: () => structuredClone(core.state.faults.map(({ rule, left }) => ({ rule, left }))),
    clear() {
      core.state.faults = [];
    },
  };
}
