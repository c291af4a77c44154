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

/** The parts that another program changes if it uses the account. */
const CHANGED_BY_OTHERS = /^(?:window|credits .*)$/;

/** Compares what each probe showed about both. */
export function compare(service: Survey, emulator: Survey): Comparison {
  const differences: Difference[] = [];
  const fields = new Map<string, number>();
  const isDisturbed = service.accountChanges.length > 0;
  for (const [probe, ours] of service.observations) {
    const all = pairsOf(ours, emulator.observations.get(probe) ?? {});
    const pairs = all.filter(({ part }) => !isDisturbed || !CHANGED_BY_OTHERS.test(part));
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
    const areBothJson = ours["body"] === theirs["body"];
    const names = !isAlike
      ? /^(?:status|error_code|body)$/
      : areBothJson
        ? /./
        : /^(?:status|body)$| header$/;
    return Object.keys({ ...theirs, ...ours })
      .filter((field) => names.test(field))
      .map((field) => ({ part, field, service: ours[field], emulator: theirs[field] }));
  });
}
