import { addFault, type FaultRule } from "../core/faults.js";
import type { World } from "../core/state/world.js";

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

export function createFaults(world: World): Faults {
  return {
    add: (rule) => addFault(world.state, rule),
    list: () => structuredClone(world.state.faults.map(({ rule, left }) => ({ rule, left }))),
    clear() {
      world.state.faults = [];
    },
  };
}
