import { isoTime, parseIsoTime } from "../clock/clock.js";
import { isBalanced } from "../ledger/ledger.js";
import type { State } from "./state.js";
import { replaceState, type World } from "./world.js";

/** Snapshots of another version are refused. */
const VERSION = 1;

/**
 * Everything that an emulator knows, as plain JSON-safe data: from it an emulator goes on exactly as the first one
 * would have. What is inside `state` may change with each version.
 */
export interface Snapshot {
  readonly version: 1;
  /** The emulator's time: ISO 8601. */
  readonly time: string;
  readonly state: unknown;
}

export function takeSnapshot({ state, clock }: World): Snapshot {
  return { version: VERSION, time: isoTime(clock.now()), state: copyOf(state) };
}

/**
 * Puts a world where a snapshot was taken. The snapshot stays as it is, and can be used again.
 *
 * @throws RangeError when it is none of this version, or its credits do not add up; the world is then as it was.
 */
export function openSnapshot(world: World, snapshot: Snapshot): void {
  const time = parseIsoTime(snapshot.time);
  if (snapshot.version !== VERSION || Number.isNaN(time) || !isState(snapshot.state)) {
    throw new RangeError(`Expected \`snapshot\` to be what \`snapshot()\` answered, of version ${VERSION}`);
  }
  if (!snapshot.state.accounts.every(({ ledger }) => isBalanced(ledger))) {
    throw new RangeError("Expected `snapshot` to have accounts whose credits add up");
  }
  replaceState(world, copyOf(snapshot.state), time, "the emulator was set to another state");
}

/** JSON is a few times faster than a structured clone, and drops what JSON would not hold. */
function copyOf(state: State): State {
  return JSON.parse(JSON.stringify(state));
}

/** The boundary at which a snapshot of our own version is taken for a state. */
function isState(state: unknown): state is State {
  const lists = ["accounts", "tasks", "faults", "requests"];
  return (
    typeof state === "object" &&
    state !== null &&
    lists.every((name) => Array.isArray(Reflect.get(state, name)))
  );
}
