import { burstBound, steadyBound } from "./bound.js";
import { type Durations, equal, even, lognormal, mixture, NEVER, TYPICAL, weibull } from "./durations.js";
import { FLEET, OURS, type Policy } from "./policies.js";
import { type Limit, USUAL_LIMIT } from "./service.js";
import type { BatchLoad, CrowdLoad, Scenario, SteadyLoad } from "./simulate.js";

/** A scenario, its policies, and the required figures. */
export interface Trial {
  scenario: Scenario;
  /** How the SDK's processes share the key. */
  sdk: Policy;
  /** Computes the least mean delay that is possible, in seconds, which takes a second or more; `null` where none is known. */
  bound: () => number | null;
  /** The highest mean delay that is accepted, in seconds; `null` where none is required. */
  ceiling: () => number | null;
  /** The highest mean wait of a create that is accepted, in seconds. */
  createCeiling?: number;
}

const WARM_UP_SECONDS = 900;
const GAP_SECONDS = 5;

const LYRICS_AND_MUSIC = mixture("lyrics and music", 0.5, lognormal("", 5, 0.2), lognormal("", 120, 0.2));
const SLOW = lognormal("slow", 200, 0.4);
const QUICK = lognormal("quick", 50, 0.4);
const STUCK = mixture("5 % never end", 0.05, NEVER, TYPICAL);

/** Weibull durations: a distribution that the pacer was not tuned on. */
const HELD_OUT = weibull("held out", 1.6, 20, 420);

/** Highest mean delay over the bound, by tasks a second. */
const ALLOWED: Readonly<Record<number, number>> = { 0.02: 1.2, 0.1: 1.2, 0.3: 1.15, 0.6: 1.1, 0.9: 1.1 };

/** Slower arrivals are measured for longer, until they count as many tasks as this rate. */
const COUNTED_LIKE_PER_SECOND = 0.3;

/** All scenarios. The steady ones last so many seconds of the service's time, slow ones longer. */
export function allTrials(seconds: number): Trial[] {
  return [
    ...[0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((rate) =>
      steady(`${rate} a second`, rate, TYPICAL, seconds, ALLOWED[rate]),
    ),
    inFlight(1, 200, 1.2),
    inFlight(10, 20, 1.2),
    inFlight(100, 5, 1.6),
    inFlight(1000, 1, 1.2),
    inFlight(5000, 1),
    toSubmit("5000 to submit", 5000, TYPICAL),
    { ...toSubmit("160 cold, each takes 42 s", 160, equal("equal", 42)), ceiling: () => 45 },
    fleet("160 cold, each takes 42 s, fleet of 4", 160, equal("equal", 42), 50),
    ...[0.1, 0.3, 0.6, 0.9].flatMap((rate) => [
      steady(`${rate} a second, held-out durations`, rate, HELD_OUT, seconds, ALLOWED[rate]),
      steady(`${rate} a second, 5 % never end`, rate, STUCK, seconds, 1.4),
    ]),
    ...[0.3, 0.6].flatMap((rate) => [
      // A policy that knows the duration finds each task at its end: no positive delay is a bound.
      { ...steady(`${rate} a second, all take 90 s`, rate, equal("equal", 90), seconds), bound: none },
      steady(`${rate} a second, 20 to 200 s evenly`, rate, even("even", 20, 200), seconds, 1.4),
      steady(`${rate} a second, 5 s or 120 s`, rate, LYRICS_AND_MUSIC, seconds, 1.4),
      steady(`${rate} a second, slow`, rate, SLOW, seconds, 1.4),
      steady(`${rate} a second, quick`, rate, QUICK, seconds, 1.4),
      shifting(`${rate} a second, quick then slow`, rate, QUICK, SLOW, seconds),
      shifting(`${rate} a second, slow then quick`, rate, SLOW, QUICK, seconds),
    ]),
    limited("0.3 a second, limit 60", 0.3, { ...USUAL_LIMIT, requests: 60 }, seconds),
    limited("1.5 a second, limit 300", 1.5, { ...USUAL_LIMIT, requests: 300 }, seconds),
    limited("0.3 a second, 30 in 30 s", 0.3, { ...USUAL_LIMIT, requests: 30, windowMs: 30_000 }, seconds),
    limited("0.3 a second, 120 in 120 s", 0.3, { ...USUAL_LIMIT, windowMs: 120_000 }, seconds),
    ...[0.1, 0.3, 0.6].map((rate) =>
      limited(`${rate} a second, sliding`, rate, { ...USUAL_LIMIT, kind: "sliding" }, seconds),
    ),
    varied(inFlight(100, 5), "sliding", { limit: { ...USUAL_LIMIT, kind: "sliding" } }),
    varied(inFlight(1000, 1), "sliding", { limit: { ...USUAL_LIMIT, kind: "sliding" } }),
    ...[0.1, 0.3, 0.6].map((rate) =>
      varied(steady(`${rate} a second`, rate, TYPICAL, seconds), "two processes", { processes: 2 }),
    ),
    varied(inFlight(100, 5), "two processes", { processes: 2 }),
    varied(inFlight(1000, 1), "two processes", { processes: 2 }),
    ...[0.1, 0.3].map((rate) => besides(`${rate} a second, another spends half`, rate, seconds)),
    ...[OURS, FLEET].flatMap((sdk) => [
      oneBeside("one of B, alone", 0, false, sdk),
      oneBeside("one of B, 1000 of A to submit", 1000, false, sdk),
      oneBeside("one of B, 1000 of A in flight", 1000, true, sdk),
    ]),
    oneBeside("one of B, 1000 of A to submit in both", 1000, false, FLEET, true),
    oneBeside("one of B, 1000 of A in flight in both", 1000, true, FLEET, true),
  ];
}

function steady(
  name: string,
  perSecond: number,
  durations: Durations,
  seconds: number,
  allowed?: number,
  limit = USUAL_LIMIT,
): Trial {
  const measuredSeconds = seconds * Math.max(1, COUNTED_LIKE_PER_SECOND / perSecond);
  const load: SteadyLoad = {
    kind: "steady",
    perSecond,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: measuredSeconds,
  };
  const scenario = { name, durations: () => durations, load, limit };
  return trial(scenario, () => steadyBound(durations, perSecond, limit, GAP_SECONDS), allowed);
}

function limited(name: string, perSecond: number, limit: Limit, seconds: number): Trial {
  return steady(name, perSecond, TYPICAL, seconds, limit.kind === "fixed" ? 1.4 : undefined, limit);
}

function shifting(
  name: string,
  perSecond: number,
  first: Durations,
  second: Durations,
  seconds: number,
): Trial {
  const { scenario, bound } = steady(name, perSecond, first, seconds);
  const shiftAt = WARM_UP_SECONDS + seconds / 2;
  const later = () => steadyBound(second, perSecond, USUAL_LIMIT, GAP_SECONDS);
  const durations = (start: number) => (start < shiftAt ? first : second);
  return trial({ ...scenario, durations }, () => ((bound() ?? 0) + later()) / 2, 1.4);
}

function besides(name: string, perSecond: number, seconds: number): Trial {
  const { scenario } = steady(name, perSecond, TYPICAL, seconds);
  const bound = () => steadyBound(TYPICAL, perSecond, USUAL_LIMIT, GAP_SECONDS, 1);
  return trial({ ...scenario, othersPerSecond: 1 }, bound);
}

function inFlight(tasks: number, repetitions: number, allowed?: number): Trial {
  const load: BatchLoad = { kind: "in flight", tasks, repetitions };
  const bound = () => burstBound(TYPICAL, tasks, USUAL_LIMIT, GAP_SECONDS);
  return trial({ name: `${tasks} in flight`, durations: () => TYPICAL, load }, bound, allowed);
}

/** The delay that a song has alone, and its wait: half of a gap, and the way to the service. */
const ALONE_SECONDS = 2.6;
const ALONE_CREATE_SECONDS = 0.1;
/** One request of each other tenant, as fast as the limit allows. */
const TURN_SECONDS = USUAL_LIMIT.windowMs / USUAL_LIMIT.requests / 1000;

/**
 * A tenant's songs, one after the other, beside those of another tenant. In a fleet, each tenant has its own process, unless the other
 * one is split.
 */
function oneBeside(name: string, crowd: number, isInFlight: boolean, sdk: Policy, isSplit = false): Trial {
  const processes = sdk === FLEET ? 2 : 1;
  const load: CrowdLoad = { kind: "beside a crowd", crowd, isInFlight, isSplit, songs: 12, repetitions: 5 };
  const scenario = {
    name: processes === 1 ? name : `${name}, fleet of ${processes}`,
    durations: () => TYPICAL,
    load,
    processes,
  };
  return {
    scenario,
    sdk,
    bound: () => burstBound(TYPICAL, 1, USUAL_LIMIT, GAP_SECONDS),
    ceiling: () => 1.2 * ALONE_SECONDS,
    createCeiling: 1.2 * ALONE_CREATE_SECONDS + TURN_SECONDS,
  };
}

function toSubmit(name: string, tasks: number, durations: Durations): Trial {
  return trial(
    { name, durations: () => durations, load: { kind: "to submit", tasks, repetitions: 1 } },
    none,
  );
}

function fleet(name: string, tasks: number, durations: Durations, ceiling: number): Trial {
  const { scenario } = toSubmit(name, tasks, durations);
  return { scenario: { ...scenario, processes: 4 }, sdk: FLEET, bound: none, ceiling: () => ceiling };
}

function varied({ scenario, bound }: Trial, twist: string, changes: Partial<Scenario>): Trial {
  return trial({ ...scenario, name: `${scenario.name}, ${twist}`, ...changes }, bound);
}

function none(): null {
  return null;
}

function trial(scenario: Scenario, bound: Trial["bound"], allowed?: number): Trial {
  const ceiling = () => {
    if (allowed === undefined) return null;
    const least = bound();
    return least && allowed * least;
  };
  return { scenario, sdk: OURS, bound, ceiling };
}
