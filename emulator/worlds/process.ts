import { type Random, randomStream } from "../time/random.js";
import type { Order } from "./app.js";
import { Life, type LivingProcess, never, type StepKind, sleepIn } from "./life.js";
import type { Mishap, PlannedProcess } from "./plan.js";
import type { Surroundings } from "./surroundings.js";

/** How long a process may take to end after SIGTERM, and how long after it was started it must have ended. */
export const SHUTDOWN_MS = 60_000;
/** For each order: three times what it needs at a poll every 5 s until the task timeout. */
const MOST_REQUESTS = 2160;
/** Also a process with fewer orders may send as many requests, and take as many steps, as one with these. */
const LEAST_ORDERS = 3;

/**
 * A process that takes this many steps in as many milliseconds waits in a loop without a pause, or with a timer of 0 ms. Time
 * stands still while it runs, so that what it waits for may never come.
 */
function mostSteps(orders: number): number {
  return 3500 + 500 * orders;
}

/**
 * One process of a world, over all its lives. It counts the steps, and applies the mishap of each. Once it is dead, nothing
 * that its code awaits settles.
 */
export class WorldProcess implements LivingProcess {
  readonly name: string;
  /** The life that runs now, counted from 1. */
  life = 0;
  /** What it has awaited, over all its lives. */
  readonly steps: string[] = [];
  readonly world: Surroundings;
  readonly plan: PlannedProcess;
  readonly #mishaps: Map<number, Mishap>;
  readonly #paceRandom: Random;
  #orders = LEAST_ORDERS;
  #requests = 0;
  lastStepAt = 0;
  /** The steps since then. */
  #recentSteps = 0;
  #countedSince = 0;
  #skewMs = 0;
  #frozenUntil = 0;
  #current: Life | null = null;

  constructor(name: string, plan: PlannedProcess, world: Surroundings) {
    this.name = name;
    this.world = world;
    this.plan = plan;
    this.#mishaps = new Map(plan.mishaps);
    this.#paceRandom = randomStream(world.plan.seed, "pace", name);
  }

  /** Starts the next life. From then on the life before it is dead. */
  begin(orders: readonly Order[]): Life {
    this.#current?.end();
    this.life++;
    this.lastStepAt = this.world.emulator.clock.now();
    this.#orders = Math.max(this.#orders, orders.length);
    const life = new Life(this, orders);
    this.#current = life;
    return life;
  }

  /** No more faults from now on. */
  calm(): void {
    this.#mishaps.clear();
    this.#frozenUntil = 0;
  }

  get isSuspended(): boolean {
    return this.#frozenUntil > this.world.emulator.clock.now();
  }

  /** Resolves when the process is no longer suspended. */
  async awake(): Promise<void> {
    const { clock } = this.world.emulator;
    if (this.isSuspended) await clock.sleep(this.#frozenUntil - clock.now());
  }

  now(): number {
    return this.world.emulator.clock.now() + this.#skewMs;
  }

  /** One step. Resolves with a mishap that concerns only one kind of step; never resolves once the life has ended. */
  async take(life: Life, what: string, kind: StepKind): Promise<Mishap | null> {
    const { emulator, occurred } = this.world;
    const { clock } = emulator;
    if (life.isDead) return never();
    const step = this.steps.push(what) - 1;
    life.steps++;
    this.countStep(what);
    const planned = this.#mishaps.get(step);
    const mishap = planned && hasEffect(planned, kind) ? planned : null;
    if (mishap?.kind === "freeze") this.#frozenUntil = clock.now() + mishap.ms;
    if (mishap !== null) {
      occurred.add(mishap.kind);
      this.world.note(this.name, `${describe(mishap)} (step ${step}: ${what})`);
    }
    if (mishap?.kind === "crash") {
      life.crash(mishap.ms);
      return never();
    }
    if (mishap?.kind === "clock") this.#skewMs += mishap.ms;
    const until = Math.max(this.#frozenUntil, clock.now() + this.#duration());
    if (until > clock.now()) await sleepIn(life, clock, until - clock.now());
    return life.isDead ? never() : mishap;
  }

  /** Counts a step, or a timer that has ended. */
  countStep(what: string): void {
    const now = this.world.emulator.clock.now();
    this.lastStepAt = now;
    const most = mostSteps(this.#orders);
    if (now - this.#countedSince >= most) {
      this.#countedSince = now;
      this.#recentSteps = 0;
    }
    if (++this.#recentSteps !== most) return;
    const seconds = (now - this.#countedSince) / 1000;
    this.world.stopAs(
      `${this.name} has taken ${most} steps in ${seconds} s, the last one: ${what}. Sleep for 10 ms or more in each loop that waits.`,
    );
  }

  countRequest(): void {
    if (++this.#requests === MOST_REQUESTS * this.#orders)
      this.world.stopAs(`${this.name} has sent ${this.#requests} requests`);
  }

  #duration(): number {
    const [shortest, longest] = this.plan.pace;
    return shortest + Math.floor(this.#paceRandom() * (longest - shortest + 1));
  }
}

function hasEffect(mishap: Mishap, step: StepKind): boolean {
  if (mishap.kind === "storage") return step === `storage, ${mishap.when}`;
  return (mishap.kind !== "unreachable" && mishap.kind !== "service") || step === "request";
}

function describe(mishap: Mishap): string {
  switch (mishap.kind) {
    case "crash":
      return `CRASHES, and starts again ${duration(mishap.ms)} later`;
    case "freeze":
      return `is suspended for ${duration(mishap.ms)}`;
    case "clock":
      return `has its clock set by ${duration(mishap.ms)}`;
    case "storage":
      return `has a storage that fails ${mishap.when} the operation`;
    case "unreachable":
      return "cannot reach the service";
    case "service":
      return `meets a fault of the service: ${JSON.stringify(mishap.fault)}`;
  }
}

export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 2 * 86_400_000) return `${Math.round(ms / 86_400_000)} days`;
  if (size >= 2 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`;
  if (size >= 120_000) return `${Math.round(ms / 60_000)} min`;
  return `${ms / 1000} s`;
}
