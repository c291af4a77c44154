import { burstBound, steadyBound } from "./bound.js";
import { equal, even, type Law, lognormal, mixture, NEVER, TYPICAL } from "./law.js";
import { type Limit, USUAL_LIMIT } from "./service.js";
import type { BurstLoad, Scenario, SteadyLoad } from "./simulate.js";

/** A scenario with what is asked of us in it. */
export interface Trial {
  scenario: Scenario;
  /** The least mean delay that is possible, in seconds; `null` where nobody has worked it out. */
  bound: number | null;
  /** How far above it we may be. */
  allowed: number | null;
}

const WARM_UP_SECONDS = 900;
const GAP_SECONDS = 5;

const LYRICS_AND_MUSIC = mixture("lyrics and music", 0.5, lognormal("", 5, 0.2), lognormal("", 120, 0.2));
const SLOW = lognormal("slow", 200, 0.4);
const QUICK = lognormal("quick", 50, 0.4);
const STUCK = mixture("5 % never end", 0.05, NEVER, TYPICAL);

/** Everything that the policy is tried on, each for so many seconds of the service's time. */
export function allTrials(seconds: number): Trial[] {
  return [
    ...[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((rate) =>
      steady(`${rate} a second`, rate, TYPICAL, seconds, rate === 0.1 ? 1.5 : 1.25),
    ),
    ...[1, 5, 10, 100, 1000, 5000].map((tasks) => inFlight(tasks)),
    toSubmit(5000),
    ...[0.1, 0.3, 0.6, 0.9].map((rate) =>
      steady(`${rate} a second, 5 % never end`, rate, STUCK, seconds, 1.4),
    ),
    ...[0.3, 0.6].flatMap((rate) => [
      // Who knows that finds each task at its end: there is no delay to be held against.
      { ...steady(`${rate} a second, all take 90 s`, rate, equal("equal", 90), seconds, null), bound: null },
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
    ...[100, 1000].map((tasks) => inFlight(tasks, "sliding", { limit: { ...USUAL_LIMIT, kind: "sliding" } })),
    ...[0.1, 0.3, 0.6].map((rate) => shared(`${rate} a second, two processes`, rate, seconds)),
    ...[100, 1000].map((tasks) => inFlight(tasks, "two processes", { processes: 2 })),
    ...[0.1, 0.3].map((rate) => besides(`${rate} a second, another spends half`, rate, seconds)),
  ];
}

function steady(
  name: string,
  perSecond: number,
  law: Law,
  seconds: number,
  allowed: number | null,
  limit = USUAL_LIMIT,
): Trial {
  const load: SteadyLoad = { kind: "steady", perSecond, warmUpSeconds: WARM_UP_SECONDS, seconds };
  return {
    scenario: { name, law: () => law, load, limit },
    bound: steadyBound(law, perSecond, limit, GAP_SECONDS),
    allowed,
  };
}

function limited(name: string, perSecond: number, limit: Limit, seconds: number): Trial {
  return steady(name, perSecond, TYPICAL, seconds, limit.kind === "fixed" ? 1.4 : null, limit);
}

function shifting(name: string, perSecond: number, first: Law, second: Law, seconds: number): Trial {
  const trial = steady(name, perSecond, first, seconds, 1.4);
  const shiftAt = WARM_UP_SECONDS + seconds / 2;
  const later = steadyBound(second, perSecond, USUAL_LIMIT, GAP_SECONDS);
  const law = (start: number) => (start < shiftAt ? first : second);
  return { ...trial, scenario: { ...trial.scenario, law }, bound: ((trial.bound ?? 0) + later) / 2 };
}

function shared(name: string, perSecond: number, seconds: number): Trial {
  const trial = steady(name, perSecond, TYPICAL, seconds, null);
  return { ...trial, scenario: { ...trial.scenario, processes: 2 } };
}

function besides(name: string, perSecond: number, seconds: number): Trial {
  const trial = steady(name, perSecond, TYPICAL, seconds, null);
  const bound = steadyBound(TYPICAL, perSecond, USUAL_LIMIT, GAP_SECONDS, 1);
  return { ...trial, scenario: { ...trial.scenario, othersPerSecond: 1 }, bound };
}

function inFlight(tasks: number, twist?: string, changes: Partial<Scenario> = {}): Trial {
  const load: BurstLoad = { kind: "in flight", tasks };
  const name = `${tasks} in flight${twist === undefined ? "" : `, ${twist}`}`;
  const bound = burstBound(TYPICAL, tasks, USUAL_LIMIT, GAP_SECONDS);
  return {
    scenario: { name, law: () => TYPICAL, load, ...changes },
    bound,
    allowed: twist === undefined ? 1.25 : null,
  };
}

function toSubmit(tasks: number): Trial {
  const load: BurstLoad = { kind: "to submit", tasks };
  return { scenario: { name: `${tasks} to submit`, law: () => TYPICAL, load }, bound: null, allowed: null };
}
