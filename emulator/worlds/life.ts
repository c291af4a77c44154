import { isSafeRequestId } from "../../src/contract/service.js";
import type { Journal } from "../../src/journal/journal.js";
import { type EmulatorClock, VIRTUAL_START } from "../time/clock.js";
import { type Random, randomStream, randomUuid } from "../time/random.js";
import type { GiveUpReason, Order, Process, Storage } from "./app.js";
import type { Mishap } from "./plan.js";
import { secondsOf } from "./story.js";
import type { ProcessRequest, Surroundings } from "./surroundings.js";
import type { Suspendable } from "./virtual-globals.js";

/** The process to which a life belongs. */
export interface LivingProcess {
  readonly name: string;
  /** The number of the life that begins. */
  readonly life: number;
  readonly world: Surroundings;
  readonly isSuspended: boolean;
  now(): number;
  awake(): Promise<void>;
  take(life: Life, what: string, kind: StepKind): Promise<Mishap | null>;
  countStep(what: string): void;
  countRequest(): void;
  /** When it took a step, or one of its timers ended, for the last time. */
  readonly lastStepAt: number;
}

/** What a process does at a step, as far as a mishap depends on it. */
export type StepKind = "request" | "storage, before" | "storage, after" | "other";

const REASONS: readonly GiveUpReason[] = ["failed", "refused", "declined", "unknown", "expired"];

/** One life of a process: from a start to its end or crash. */
export class Life implements Process, Suspendable {
  readonly worker: LivingProcess;
  readonly orders: readonly Order[];
  readonly life: number;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
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
  readonly #stop = new AbortController();
  #crash: (restartMs: number) => void = () => {};

  constructor(worker: LivingProcess, orders: readonly Order[]) {
    const { world, name, life } = worker;
    const { emulator, plan } = world;
    this.worker = worker;
    this.orders = orders;
    this.name = name;
    this.life = life;
    this.baseUrl = emulator.url;
    this.apiKey = emulator.apiKey;
    this.random = randomStream(plan.seed, "process", name, life);
    this.crashed = new Promise((resolve) => {
      this.#crash = resolve;
    });
    this.clock = {
      mode: "virtual",
      now: () => worker.now(),
      sleep: async (ms, signal) => {
        await sleepIn(this, emulator.clock, ms, signal);
        await this.#take("a sleep ends");
      },
      advance: (ms) => this.clock.sleep(ms),
    };
    this.fetch = (input, init) => this.#count(this.#fetch(new Request(input, init)));
    const stored = <Value>(what: string, work: () => Promise<Value>) => this.#count(this.#store(what, work));
    this.journal = {
      get: (key) => stored(`journal.get ${key}`, () => world.journal.get(key)),
      put: (key, entry, previous) =>
        stored(`journal.put ${key} ${entry.state}`, async () => {
          const isPut = await world.journal.put(key, entry, previous);
          if (isPut && "task_id" in entry) world.submissions.record(entry.task_id);
          return isPut;
        }),
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

  get signal(): AbortSignal {
    this.endsBySignal = true;
    return this.#stop.signal;
  }

  connection() {
    const { baseUrl, apiKey, fetch, clock, random } = this;
    return { baseUrl, apiKey, fetch, clock, random };
  }

  shared<Value>(name: string, make: () => Value): Value {
    const { shared } = this.worker.world;
    if (!shared.has(name)) shared.set(name, make());
    return shared.get(name) as Value;
  }

  async deliver(order: Order, taskId: string): Promise<void> {
    const { world, name } = this.worker;
    if (typeof taskId !== "string") throw new TypeError("`taskId` must be the ID of the order's task.");
    await this.#take(`deliver ${order.id}`);
    world.orderOf(order.id).delivered.push(taskId);
    world.note(name, `delivers ${order.id}: task ${taskId}`);
    await this.#take(`deliver ${order.id} returns`);
  }

  async giveUp(order: Order, reason: GiveUpReason): Promise<void> {
    const { world, name } = this.worker;
    if (!REASONS.includes(reason))
      throw new TypeError(`\`reason\` must be one of ${REASONS.join(", ")}; got ${String(reason)}.`);
    await this.#take(`giveUp ${order.id}`);
    world.orderOf(order.id).givenUp.set(name, { reason, at: world.emulator.clock.now() });
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
      await sleepIn(this, this.worker.world.emulator.clock, 0);
    }
  }

  /** For a program that does not end: what it may wait for, if it has used nothing of the world for an hour. */
  get advice(): string {
    const { lastStepAt, world } = this.worker;
    if (this.#pending > 0 || world.emulator.clock.now() - lastStepAt < 3_600_000) return "";
    const since = secondsOf(lastStepAt - VIRTUAL_START);
    return `. It has done nothing since ${since}. If it waits for real I/O or \`node:timers/promises\`, replace them: a world cannot simulate them`;
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
    const { world } = this.worker;
    world.occurred.add("stop");
    world.note(this.name, "receives SIGTERM");
    this.#stop.abort(new DOMException("The process must end: SIGTERM.", "AbortError"));
  }

  async #take(what: string, kind: StepKind = "other"): Promise<Mishap | null> {
    return this.worker.take(this, what, kind);
  }

  async #store<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const { world } = this.worker;
    const before = await this.#take(what, "storage, before");
    if (before?.kind === "storage") throw new Error("The storage is unavailable.");
    world.note(this.name, what);
    const value = await work();
    const after = await this.#take(`${what} returns`, "storage, after");
    if (after?.kind === "storage") throw new Error("The storage is unavailable.");
    return value;
  }

  async #fetch(request: Request): Promise<Response> {
    const { world } = this.worker;
    const { clock, faults, fetch } = world.emulator;
    const { method, headers, url, signal } = request;
    const what = `${method} ${pathOf(url)}`;
    const sentAt = clock.now();
    const sentOrdinal = ++world.ordinal;
    const mishap = await this.#take(what, "request");
    if (mishap?.kind === "unreachable") {
      world.note(this.name, `${what}: the connection is refused`);
      throw Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" });
    }
    if (mishap?.kind === "service") faults.add({ method, fault: mishap.fault });
    signal.throwIfAborted();
    this.worker.countRequest();
    // A finding names its request by this ID, also if the response is lost.
    const givenId = headers.get("X-Request-Id") ?? "";
    const requestId = isSafeRequestId(givenId) ? givenId : randomUuid(world.plan.seed, "sent", sentOrdinal);
    headers.set("X-Request-Id", requestId);
    const post = method === "POST" ? world.submissions.begin(this, headers, await request.text()) : null;
    const order = post?.submission.order ?? world.submissions.orderOf(pathOf(url).replace("/task/", ""));
    const sent: ProcessRequest = {
      sender: this,
      path: pathOf(url),
      name: `${what}${order === "" ? "" : ` (${order})`}`,
      notedAt: clock.now(),
      sentAt,
      sentOrdinal,
      receivedAt: Number.POSITIVE_INFINITY,
      receivedOrdinal: Number.POSITIVE_INFINITY,
      status: null,
      requestId,
      submission: post?.submission ?? null,
      waitUntil: 0,
    };
    world.sent.push(sent);
    const unanswered = world.note(this.name, `${sent.name}: no response`);
    const note = (end: string) => {
      unanswered.remove();
      sent.notedAt = clock.now();
      return world.note(this.name, `${sent.name}${end}`);
    };
    // Without the signal: a request in flight continues after its caller has stopped waiting.
    const pending = fetch(url, post?.content ?? { method, headers });
    pending.catch(() => {});
    await this.#take(`${what} is sent`);
    const returned = async (response: Response) => {
      await this.#take(`${what} returns ${response.status}`);
      signal.throwIfAborted();
      return response;
    };
    const failed = async (error: unknown) => {
      note(signal.aborted ? ": stops waiting" : ": the connection breaks");
      await this.#take(`${what} fails`);
      throw error;
    };
    const response = await untilAborted(pending, signal).then(returned).catch(failed);
    sent.receivedAt = clock.now();
    sent.status = response.status;
    sent.waitUntil = sent.receivedAt + 1000 * Number(response.headers.get("Retry-After") ?? 0);
    if (post !== null) await post.end(response.clone());
    const line = note(` → ${response.status}`);
    // Not awaited: what the story says must not change what happens.
    if (isJson(response)) contentOf(response.clone(), method).then(line.append, () => {});
    sent.receivedOrdinal = ++world.ordinal;
    return response;
  }
}

function missing(method: string): never {
  throw new TypeError(`The journal of this world has no method \`${method}\`.`);
}

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname.replace(/^\/api\/v1/, "");
}

function isJson({ headers }: Response): boolean {
  return headers.get("Content-Type")?.includes("json") ?? false;
}

/** What the story says of the body of a response: the status of the task that was read, or that the body was cut. */
async function contentOf(response: Response, method: string): Promise<string> {
  const text = await response.text();
  try {
    const { status, retryable } = Object(JSON.parse(text).data);
    if (method !== "GET" || typeof status !== "string") return "";
    return ` ${status}${typeof retryable === "boolean" ? `, retryable: ${retryable}` : ""}`;
  } catch {
    return ", the body is cut";
  }
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

/** Sleeps on the clock of a world. In a life that has ended it never settles, also when the clock of an ended world rejects. */
export async function sleepIn(
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

/** Never settles: the result of every await in a process that was killed. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
