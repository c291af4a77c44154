import type { Value } from "./fields.js";
import { FAILED_READ } from "./follow.js";
import type { Observation } from "./observation.js";
import type { Survey } from "./survey.js";
import type { DriftTest } from "./tests.js";

/** A field in which the service and the emulator differ, in one or more tests. */
export interface Difference {
  /** The first of `tests`. */
  readonly test: string;
  /** The response, or another part of what the test shows: the first in which the field differs. */
  readonly part: string;
  readonly field: string;
  /** `undefined`: the field is missing. */
  readonly service: Value | undefined;
  readonly emulator: Value | undefined;
  /** In how many parts of all tests the field has these values. */
  readonly count: number;
  readonly tests: readonly string[];
}

type Pair = Pick<Difference, "test" | "part" | "field" | "service" | "emulator">;

export interface Comparison {
  readonly differences: readonly Difference[];
  /** How many fields were compared, and how many differ, by test. */
  readonly fields: ReadonlyMap<string, { compared: number; differences: number }>;
}

/** The parts that another program changes if it uses the account. */
const CHANGED_BY_OTHERS = /^(?:window|credits .*)$/;
const CREDITS_PART = /^credits /;
/** Either side may be quicker than the polls. A status that only the service has is in the order of the states. */
const UNFINISHED = /^read while (?!success|failure|timeout)/;
/** The fields of a part from which follows which other parts exist. */
const CAUSES: readonly (readonly [part: string, field: string])[] = [
  ["response", "status"],
  ["task", "last status"],
  ["task", "order of its states"],
];

/** Compares what each test showed about both. */
export function compareSurveys(service: Survey, emulator: Survey, tests: readonly DriftTest[]): Comparison {
  const all: Pair[] = [];
  const fields = new Map<string, { compared: number; differences: number }>();
  const isDisturbed = service.accountChanges.length > 0;
  for (const [name, ours] of service.observations) {
    const theirs = referenceFor(
      tests.find((test) => test.name === name),
      name,
      ours,
      emulator,
    );
    const pairs = [...commonPairs(ours, theirs), ...oneSidedPairs(ours, theirs)]
      .filter(({ part }) => !isDisturbed || !CHANGED_BY_OTHERS.test(part))
      .map((pair) => ({ test: name, ...pair }));
    const differing = pairs.filter((pair) => pair.service !== pair.emulator);
    fields.set(name, { compared: pairs.length, differences: differing.length });
    all.push(...differing);
  }
  return { differences: grouped(all), fields };
}

/** What the emulator showed at the same test, or what other tests showed instead. */
function referenceFor(
  test: DriftTest | undefined,
  name: string,
  ours: Observation,
  { observations }: Survey,
): Observation {
  const own = observations.get(name) ?? {};
  const refusal = test?.kind === "create" ? observations.get(test.orRefusedLike ?? "") : undefined;
  if (refusal !== undefined && responseCodes(refusal) === responseCodes(ours)) return refusal;
  const reference = Object.fromEntries(Object.entries(own).filter(([part]) => !CREDITS_PART.test(part)));
  // A charge has to fit what the service did, also where the emulator did something else.
  for (const part of Object.keys(ours).filter((each) => CREDITS_PART.test(each))) {
    const hasOwn = part in own && hasAccepted(own) === hasAccepted(ours);
    const alike = [...observations.values()].find(
      (each) => part in each && hasAccepted(each) === hasAccepted(ours),
    );
    const fields = (hasOwn ? own : alike)?.[part];
    if (fields !== undefined) reference[part] = fields;
  }
  return reference;
}

function responseCodes({ response }: Observation): string {
  return `${response?.["status"]} ${response?.["error_code"]}`;
}

function hasAccepted({ response }: Observation): boolean {
  return Number(response?.["status"]) < 300;
}

/** The fields of parts that both have. */
function commonPairs(service: Observation, emulator: Observation): Omit<Pair, "test">[] {
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

/** The parts that only one has, unless a difference in another part is the cause. */
function oneSidedPairs(service: Observation, emulator: Observation): Omit<Pair, "test">[] {
  const isExplained = CAUSES.some(([part, field]) => service[part]?.[field] !== emulator[part]?.[field]);
  const parts = Object.keys({ ...emulator, ...service }).filter(
    (part) => !(part in service && part in emulator) && !UNFINISHED.test(part),
  );
  return parts
    .filter((part) => part === FAILED_READ || !isExplained)
    .map((part) => {
      const { status, ...rest } = service[part] ?? emulator[part] ?? {};
      const shown = status === undefined ? Object.values(rest).join(", ") : `status ${status}`;
      const [ours, theirs] = part in service ? [shown, undefined] : [undefined, shown];
      return { part, field: part, service: ours, emulator: theirs };
    });
}

/** Differences with the same values have one cause. */
function grouped(differences: readonly Pair[]): Difference[] {
  const groups = new Map<string, Pair[]>();
  for (const pair of differences) {
    const { field, service, emulator } = pair;
    const key = JSON.stringify([field, service ?? [], emulator ?? []]);
    groups.set(key, [...(groups.get(key) ?? []), pair]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const tests = [...new Set(group.map(({ test }) => test))];
    return first === undefined ? [] : [{ ...first, count: group.length, tests }];
  });
}
