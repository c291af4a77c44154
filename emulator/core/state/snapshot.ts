import * as z from "zod/mini";
import { isoTime, LATEST_TIME, parseIsoTime } from "../../time/clock.js";
import { createAudit } from "../audit.js";
import { invalidOption, objectOf, parseOption } from "../checks.js";
import { isConsistent } from "./is-consistent.js";
import { stateSchema } from "./schema/state-schema.js";
import type { State, StateData } from "./state.js";
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

const snapshotSchema = objectOf({
  version: z.literal(VERSION, `be ${VERSION}`),
  time: z.string("be a string"),
  state: stateSchema,
});

export function takeSnapshot({ state, clock }: World): Snapshot {
  return { version: VERSION, time: isoTime(clock.now()), state: copyOf(state) };
}

/**
 * Puts a world where a snapshot was taken. The snapshot stays as it is, and can be used again.
 *
 * @throws RangeError when it is none of this version, or its credits do not add up; the world is then as it was.
 */
export function openSnapshot(world: World, snapshot: unknown): void {
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
  replaceState(world, state, time, "the emulator was set to another state");
}

/** What was checked stays as it came: its order of fields is part of what is the same afterwards. */
function assertSnapshot(value: unknown): asserts value is z.infer<typeof snapshotSchema> {
  parseOption("snapshot", snapshotSchema, value);
}

/** JSON is a few times faster than a structured clone, and drops what JSON would not hold. */
function copyOf(state: State | StateData): StateData {
  return JSON.parse(JSON.stringify(state));
}
