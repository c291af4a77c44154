import type { Value } from "./fields.js";
import type { Observation, Survey } from "./survey.js";

/** A field in which the service and the emulator differ. */
export interface Difference {
  readonly probe: string;
  /** The response, or another part of what the probe shows. */
  readonly part: string;
  readonly field: string;
  /** `undefined`: the field is missing. */
  readonly service: Value | undefined;
  readonly emulator: Value | undefined;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** How many fields were compared, by probe. */
  readonly fields: ReadonlyMap<string, number>;
}

/** Compares what each probe showed about both. */
export function compare(service: Survey, emulator: Survey): Comparison {
  const differences: Difference[] = [];
  const fields = new Map<string, number>();
  for (const [probe, ours] of service.observations) {
    const pairs = pairsOf(ours, emulator.observations.get(probe) ?? {});
    fields.set(probe, pairs.length);
    differences.push(
      ...pairs.filter((pair) => pair.service !== pair.emulator).map((pair) => ({ probe, ...pair })),
    );
  }
  return { differences, fields };
}

/**
 * The fields of both, part by part. A part that only one of them has is not compared: either the task was not read in
 * that state, or a field of another part shows why it is absent.
 */
function pairsOf(service: Observation, emulator: Observation): Omit<Difference, "probe">[] {
  return Object.entries(service).flatMap(([part, ours]) => {
    const theirs = emulator[part];
    if (theirs === undefined) return [];
    // An error and a success have different bodies.
    const isAlike = Number(ours["status"] ?? 0) < 300 === Number(theirs["status"] ?? 0) < 300;
    const names = isAlike ? { ...theirs, ...ours } : { status: 0, error_code: 0 };
    return Object.keys(names)
      .filter((field) => field in ours || field in theirs)
      .map((field) => ({ part, field, service: ours[field], emulator: theirs[field] }));
  });
}
