import type { Journal } from "../../src/journal/journal.js";
import type { EmulatorClock } from "../time/clock.js";
import { type Random, randomStream } from "../time/random.js";
import type { Order, Process, Storage } from "./app.js";
import type { Mishap, PlannedProcess } from "./plan.js";
import type { Submissions } from "./submissions.js";
import type { SentRequest, Surroundings } from "./surroundings.js";

/** How long a process may take to end after SIGTERM, and how long after it was started it must have ended. */
export const SHUTDOWN_MS = 60_000;

/**
 * One process of a world, over all its lives. It counts the steps, and applies the mishap of each. Once it is dead, nothing
 * that its code awaits settles.
 */
export class WorldProcess {
  readonly name: string;
  /** The life that runs now, counted from 1. */
  life = 0;
  /** What it has awaited, over all its lives. */
  readonly steps: string[] = [];
  readonly #world: Surroundings;
  readonly #mishaps: Map<number, Mishap>;
  readonly #pace: PlannedProcess["pace"];
  readonly #paceRandom: Random;
  #skewMs = 0;
  #frozenUntil = 0;
  #current: Life | null = null;

  constructor(name: string, plan: PlannedProcess, world: Surroundings) {
    this.name = name;
    this.#world = world;
    this.#mishaps = new Map(plan.mishaps);
    this.#pace = plan.pace;
    this.#paceRandom = randomStream(world.seed, "pace", name);
  }

  /** Starts the next life. From then on the life before it is dead. */
  begin(orders: readonly Order[]): Life {
    this.#current?.end();
    this.life++;
    const life = new Life(this, orders);
    this.#current = life;
    return life;
  }

  /** No more faults from now on. */
  calm(): void {
    this.#mishaps.clear();
    this.#frozenUntil = 0;
  }

  /** Resolves when the process is no longer suspended. */
  async awake(): Promise<void> {
    const { clock } = this.#world;
    if (this.#frozenUntil > clock.now()) await clock.sleep(this.#frozenUntil - clock.now());
  }

  now(): number {
    return this.#world.clock.now() + this.#skewMs;
  }

  get world(): Surroundings {
    return this.#world;
  }

  /** One step. Resolves with a mishap that concerns only one kind of step; never resolves once the life has ended. */
  async take(life: Life, what: string): Promise<Mishap | null> {
    const { clock } = this.#world;
    if (life.isDead) return never();
    const step = this.steps.push(what) - 1;
    life.steps++;
    const mishap = this.#mishaps.get(step) ?? null;
    if (mishap?.kind === "freeze") this.#frozenUntil = clock.now() + mishap.ms;
    if (mishap !== null) this.#world.note(this.name, `${describe(mishap)} (step ${step}: ${what})`);
    if (mishap?.kind === "crash") {
      life.crash(mishap.ms);
      return never();
    }
    if (mishap?.kind === "clock") this.#skewMs += mishap.ms;
    const until = Math.max(this.#frozenUntil, clock.now() + this.#duration());
    if (until > clock.now()) await sleepIn(life, clock, until - clock.now());
    return life.isDead ? never() : mishap;
  }

  #duration(): number {
    const [shortest, longest] = this.#pace;
    return shortest + Math.floor(this.#paceRandom() * (longest - shortest + 1));
  }
}

/** Sleeps on the clock of a world. In a life that has ended it never settles, also when the clock of an ended world rejects. */
async function sleepIn(
  life: { readonly isDead: boolean },
  clock: EmulatorClock,
  ms: number,
  signal?: AbortSignal,
) {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (life.isDead) await never();
    throw error;
  }
}

const NO_RESPONSE = {
  receivedAt: Number.POSITIVE_INFINITY,
  status: null,
  waitUntil: 0,
};

/** One life of a process: from a start to its end or crash. */
export class Life implements Process {
  readonly orders: readonly Order[];
  readonly life: number;
  readonly name: string;
  readonly clock: EmulatorClock;
  readonly fetch: typeof globalThis.fetch;
  readonly journal: Required<Journal>;
  readonly storage: Storage;
  readonly random: Random;
  /** Resolves with the time until the next start when the process is killed. */
  readonly crashed: Promise<number>;
  isDead = false;
  /** Whether it was killed, or failed. */
  isCrashed = false;
  /** Whether the program reads its `signal`, and so promises to end by itself. */
  endsBySignal = false;
  /** How many steps this life has taken. */
  steps = 0;
  /** How many requests and uses of the storage have not ended. */
  #pending = 0;
  #idle: () => void = () => {};
  readonly #worker: WorldProcess;
  readonly #stop = new AbortController();
  #crash: (restartMs: number) => void = () => {};

  constructor(worker: WorldProcess, orders: readonly Order[]) {
    const { world, name, life } = worker;
    this.#worker = worker;
    this.orders = orders;
    this.name = name;
    this.life = life;
    this.random = randomStream(world.seed, "process", name, life);
    this.crashed = new Promise((resolve) => {
      this.#crash = resolve;
    });
    this.clock = {
      mode: "virtual",
      now: () => worker.now(),
      sleep: async (ms, signal) => {
        await sleepIn(this, world.clock, ms, signal);
        await this.#take("a sleep ends");
      },
      advance: (ms) => this.clock.sleep(ms),
    };
    this.fetch = (input, init) => this.#count(this.#fetch(new Request(input, init), world.submissions));
    const stored = <Value>(what: string, work: () => Promise<Value>) => this.#count(this.#store(what, work));
    this.journal = {
      get: (key) => stored(`journal.get ${key}`, () => world.journal.get(key)),
      put: (key, entry, previous) =>
        stored(`journal.put ${key} ${entry.state}`, () => world.journal.put(key, entry, previous)),
      delete: (key, revision) => stored(`journal.delete ${key}`, () => world.journal.delete(key, revision)),
      open: () => stored("journal.open", async () => (world.journal.open ?? missing("open"))()),
      unacknowledged: (since) =>
        stored("journal.unacknowledged", async () =>
          (world.journal.unacknowledged ?? missing("unacknowledged"))(since),
        ),
    };
    this.storage = {
      get: (key) => stored(`storage.get ${key}`, async () => world.stored.get(key) ?? null),
      set: (key, value) => stored(`storage.set ${key}`, async () => void world.stored.set(key, value)),
      add: (key, value) =>
        stored(`storage.add ${key}`, async () => !world.stored.has(key) && !!world.stored.set(key, value)),
      delete: (key) => stored(`storage.delete ${key}`, async () => void world.stored.delete(key)),
    };
  }

  get baseUrl(): string {
    return this.#worker.world.baseUrl;
  }

  get apiKey(): string {
    return this.#worker.world.apiKey;
  }

  get signal(): AbortSignal {
    this.endsBySignal = true;
    return this.#stop.signal;
  }

  connection() {
    const { baseUrl, apiKey, fetch, clock, random } = this;
    return { baseUrl, apiKey, fetch, clock, random };
  }

  shared<Value>(name: string, make: () => Value): Value {
    const { shared } = this.#worker.world;
    if (!shared.has(name)) shared.set(name, make());
    return shared.get(name) as Value;
  }

  async deliver(order: Order, taskId: string): Promise<void> {
    const { world, name } = this.#worker;
    if (typeof taskId !== "string") throw new TypeError("`taskId` must be the ID of the order's task.");
    await this.#take(`deliver ${order.id}`);
    world.orderOf(order.id).delivered.push(taskId);
    world.note(name, `delivers ${order.id}: task ${taskId}`);
    await this.#take(`deliver ${order.id} returns`);
  }

  async giveUp(order: Order, reason: Parameters<Process["giveUp"]>[1]): Promise<void> {
    const { world, name } = this.#worker;
    await this.#take(`giveUp ${order.id}`);
    world.orderOf(order.id).givenUp.set(name, reason);
    world.note(name, `gives up ${order.id}: ${reason}`);
    await this.#take(`giveUp ${order.id} returns`);
  }

  /** Resolves when nothing is in flight: until then, a process does not exit by itself. */
  async idle(): Promise<void> {
    while (this.#pending > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      // What ended may lead to the next request.
      await sleepIn(this, this.#worker.world.clock, 0);
    }
  }

  async #count<Value>(work: Promise<Value>): Promise<Value> {
    this.#pending++;
    try {
      return await work;
    } finally {
      if (--this.#pending === 0) this.#idle();
    }
  }

  /** Nothing that the program awaits settles from now on. */
  end(): void {
    this.isDead = true;
  }

  crash(restartMs: number): void {
    this.end();
    this.isCrashed = true;
    this.#crash(restartMs);
  }

  /** Sends SIGTERM. */
  stop(): void {
    this.#worker.world.note(this.name, "receives SIGTERM");
    this.#stop.abort(new DOMException("The process must end: SIGTERM.", "AbortError"));
  }

  async #take(what: string): Promise<Mishap | null> {
    return this.#worker.take(this, what);
  }

  async #store<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const { world } = this.#worker;
    const before = await this.#take(what);
    if (before?.kind === "storage" && before.when === "before")
      throw new Error("The storage is unavailable.");
    world.note(this.name, what);
    const value = await work();
    const after = await this.#take(`${what} returns`);
    if (after?.kind === "storage" && after.when === "after") throw new Error("The storage is unavailable.");
    return value;
  }

  async #fetch(request: Request, submissions: Submissions): Promise<Response> {
    const { world } = this.#worker;
    const { method, headers, url, signal } = request;
    const what = `${method} ${pathOf(url)}`;
    const sentAt = world.clock.now();
    const mishap = await this.#take(what);
    if (mishap?.kind === "unreachable") {
      world.note(this.name, `${what}: the connection is refused`);
      throw Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" });
    }
    if (mishap?.kind === "service") world.addFault({ method, fault: mishap.fault });
    signal.throwIfAborted();
    world.count(this.name);
    const post = method === "POST" ? submissions.begin(this, headers, await request.text()) : null;
    const submission = post?.submission ?? null;
    const requestId = headers.get("X-Request-Id");
    const sent: SentRequest = {
      sender: this,
      path: pathOf(url),
      sentAt,
      ...NO_RESPONSE,
      requestId,
      submission,
    };
    world.sent.push(sent);
    // Without the signal: a request in flight continues after its caller has stopped waiting.
    const pending = world.fetch(url, post?.content ?? { method, headers });
    pending.catch(() => {});
    await this.#take(`${what} is sent`);
    const response = await untilAborted(pending, signal).catch(async (error: unknown) => {
      world.note(this.name, `${what}: ${signal.aborted ? "stops waiting" : "the connection breaks"}`);
      await this.#take(`${what} fails`);
      throw error;
    });
    await this.#take(`${what} returns ${response.status}`);
    sent.receivedAt = world.clock.now();
    sent.status = response.status;
    sent.requestId = response.headers.get("X-Request-Id");
    sent.waitUntil = sent.receivedAt + 1000 * Number(response.headers.get("Retry-After") ?? 0);
    if (post !== null && !signal.aborted) await post.end(response.clone());
    world.note(this.name, `${what} → ${response.status}`);
    return response;
  }
}

function missing(method: string): never {
  throw new TypeError(`The journal of this world has no method \`${method}\`.`);
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

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname.replace(/^\/api\/v1/, "");
}

/** Rejects when the caller stops waiting. */
async function untilAborted<Value>(pending: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([pending, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Never settles: the result of every await in a process that was killed. */
function never(): Promise<never> {
  return new Promise(() => {});
}
