import { randomStream } from "../random/random.js";
import type { ArmedFault, Fault, FaultRule } from "./fault.js";

/** The faults that are armed, and what their chance comes from. */
interface FaultState {
  seed: number;
  counts: { faults: number };
  faults: ArmedFault[];
}

/** Arms a fault behind those that are armed. */
export function armFault(state: FaultState, rule: FaultRule): void {
  state.faults.push({ ordinal: state.counts.faults++, rule, left: timesOf(rule), met: 0 });
}

/** Whether a fault still waits for its first request, though it would have fired at any that it is meant for. */
export function hasNeverFired({ rule, left }: ArmedFault): boolean {
  return rule.probability === undefined && left === timesOf(rule);
}

function timesOf({ times, probability }: FaultRule): number | null {
  return times ?? (probability === undefined ? 1 : null);
}

/** The fault that a request meets, if any: it has then fired once more. */
export function takeFault(state: FaultState, method: string, path: string): Fault | null {
  const armed = state.faults.find((each) => matches(each.rule, method, path) && fires(each, state.seed));
  if (armed === undefined) return null;
  if (armed.left !== null) armed.left--;
  if (armed.left === 0) state.faults = state.faults.filter((each) => each !== armed);
  return armed.rule.fault;
}

function matches({ method, path }: FaultRule, requestMethod: string, requestPath: string): boolean {
  if (method !== undefined && method.toUpperCase() !== requestMethod) return false;
  if (path === undefined) return true;
  return path.endsWith("*") ? requestPath.startsWith(path.slice(0, -1)) : requestPath === path;
}

/** Each request that could meet the fault draws its own number, so that the draws do not depend on other faults. */
function fires(armed: ArmedFault, seed: number): boolean {
  const { probability } = armed.rule;
  if (probability === undefined) return true;
  return randomStream(seed, "fault", armed.ordinal, armed.met++)() < probability;
}
