import * as z from "zod/mini";
import { isoTime, LATEST_TIME, parseIsoTime } from "../../time/clock.js";
import { createAudit } from "../audit.js";
import { invalidOption, isoTimeSchema, objectOf, parseOption } from "../checks.js";
import { type Core, replaceState } from "../core.js";
import { isConsistent } from "./consistency.js";
import { type State, type StateData, stateSchema } from "./state.js";

/**
 * Everything that an emulator stores, as JSON: another emulator continues from it exactly as the first would have. What
 * is inside `state` may change with each version.
 */
export interface Snapshot {
  readonly version: 1;
  /** The emulator's time: ISO 8601. */
  readonly time: string;
  readonly state: unknown;
}

/** Snapshots of another version are refused. */
const VERSION = 1;

export const snapshotSchema = objectOf({
  version: z.literal(VERSION, `be ${VERSION}`),
  time: isoTimeSchema,
  state: z.looseObject({}, "be an object"),
});

const checkedSnapshotSchema = z.extend(snapshotSchema, { state: stateSchema });

export function takeSnapshot({ state, clock }: Core): z.output<typeof checkedSnapshotSchema> {
  return { version: VERSION, time: isoTime(clock.now()), state: copyOf(state) };
}

/**
 * Replaces the state by a snapshot, which is not changed.
 *
 * @throws RangeError if it is of another version, or its credits do not add up; nothing is then changed.
 */
export function openSnapshot(core: Core, snapshot: unknown): void {
  assertSnapshot(snapshot);
  const time = parseIsoTime(snapshot.time);
  if (!(time <= LATEST_TIME)) {
    const rule = `be an ISO 8601 time, ${isoTime(LATEST_TIME)} at the latest`;
    throw invalidOption("snapshot.time", rule, snapshot.time);
  }
  const data = copyOf(snapshot.state);
  const state = { ...data, audit: createAudit(data.audit) };
  if (!isConsistent(state)) {
    throw new RangeError(
      "Expected `snapshot` to add up: its accounts, tasks and credits do not belong together",
    );
  }
  replaceState(core, state, time, "the emulator was set to another state");
}

/** Checks without parsing: a snapshot of the restored state is the same, byte for byte. */
function assertSnapshot(value: unknown): asserts value is z.output<typeof checkedSnapshotSchema> {
  parseOption("snapshot", checkedSnapshotSchema, value);
}

/** JSON is a few times faster than a structured clone, and drops what JSON does not hold. */
function copyOf(state: State | StateData): StateData {
  return JSON.parse(JSON.stringify(state));
}
