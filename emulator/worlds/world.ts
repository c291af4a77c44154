import { sentence } from "../../src/contract/message.js";
import type { TaskRequest } from "../../src/contract/requests.js";
import { isError, messageOfThrown } from "../../src/contract/thrown.js";
import type { Journal } from "../../src/journal/journal.js";
import { createEmulator } from "../control/create-emulator.js";
import type { Emulator } from "../control/emulator.js";
import { VIRTUAL_START } from "../time/clock.js";
import { nextTurn } from "../time/event-loop.js";
import type { App } from "./app.js";
import { checkWorld } from "./checks.js";
import { holdingJournal } from "./holding-journal.js";
import type { Life } from "./life.js";
import type { Plan, PlannedOrder } from "./plan.js";
import { duration, SHUTDOWN_MS, WorldProcess } from "./process.js";
import { describePolicy } from "./story.js";
import { orderIn, WorldSubmissions } from "./submissions.js";
import type { NotedLine, OrderState, ProcessRequest, Surroundings } from "./surroundings.js";
import { receiveUnhandled } from "./unhandled.js";
import type { CheckName, Line, Violation, WorldResult } from "./verdict.js";
import { runAs, useVirtualGlobals } from "./virtual-globals.js";

/** How long a process may run from a start. Longer than a task timeout and every stated wait. */
const LONGEST_LIFE_MS = 12 * 3_600_000;
/** From the last fault to the last start: longer than the task timeout. */
const AFTERWARDS_MS = 3 * 3_600_000;
const RESTART_MS = 5000;
/** A process that fails at this many starts is not started again until the faults have ended. */
const MOST_FAILURES = 6;

/** What the user of the explorer adds to a plan. */
export interface WorldInputs {
  request(id: string): TaskRequest;
  journal(): Journal;
}

/** Runs one world to its end, on virtual time, or until the signal is aborted. */
export async function runWorld(
  app: App,
  plan: Plan,
  inputs: WorldInputs,
  signal?: AbortSignal,
): Promise<WorldResult> {
  const { seed, limit, future } = plan;
  const policy = plan.varies ? { policy: "vary" as const } : {};
  const limits = { requests: limit, windowSeconds: 60 };
  await using emulator = createEmulator({ seed, future, credits: 1000, limits, ...policy });
  const restoreGlobals = useVirtualGlobals(emulator.clock);
  try {
    const world = new RunningWorld(app, plan, inputs, emulator);
    const restoreListeners = receiveUnhandled((reason) => world.receiveUnhandled(reason));
    // At once: the next test may already run in the same turn.
    const stop = () => {
      world.stop();
      restoreListeners();
      restoreGlobals();
    };
    signal?.addEventListener("abort", stop);
    try {
      await world.run();
    } finally {
      world.end();
      // What a program did not await continues up to its next step, which never ends: its timers are still the world's. Node
      // reports the rejections after the microtasks.
      await new Promise<void>((resolve) => nextTurn(resolve));
      signal?.removeEventListener("abort", stop);
      restoreListeners();
    }
    return world;
  } finally {
    restoreGlobals();
  }
}

/** @throws RangeError for a request without the ID of its order: its task would pass for one of no order. */
function requestOf({ id }: PlannedOrder, make: WorldInputs["request"]): TaskRequest {
  const request = make(id);
  if (orderIn(String(JSON.stringify(request)), [{ id }]) !== undefined) return request;
  throw new RangeError(
    `\`request\` must return a request that contains the order's ID, which is \`${id}\`, in one of its texts.`,
  );
}

class RunningWorld implements Surroundings, WorldResult {
  readonly violations: Violation[] = [];
  readonly story: Line[] = [];
  readonly plan: Plan;
  readonly emulator: Emulator;
  readonly orders: readonly OrderState[];
  readonly journal: Journal;
  readonly stored = new Map<string, string>();
  readonly shared = new Map<string, unknown>();
  readonly submissions: WorldSubmissions;
  readonly sent: ProcessRequest[] = [];
  readonly occurred: Surroundings["occurred"] = new Set();
  ordinal = 0;
  readonly #app: App;
  readonly #processes: readonly WorldProcess[];
  #stop: () => void = () => {};
  #isStopped = false;

  constructor(app: App, plan: Plan, { request, journal }: WorldInputs, emulator: Emulator) {
    this.#app = app;
    this.plan = plan;
    this.emulator = emulator;
    this.orders = plan.orders.map((order) => ({
      id: order.id,
      request: requestOf(order, request),
      delivered: [],
      givenUp: new Map(),
    }));
    this.journal = holdingJournal(emulator.clock, journal());
    this.submissions = new WorldSubmissions(plan.orders);
    this.#processes = plan.processes.map(
      (each, index) => new WorldProcess(`process ${index + 1}`, each, this),
    );
  }

  get steps(): (readonly string[])[] {
    return this.#processes.map(({ steps }) => steps);
  }

  async run(): Promise<void> {
    const { faults, outages, others } = this.plan;
    const { clock, faults: added } = this.emulator;
    for (const rule of faults) added.add(rule);
    for (const { description } of this.emulator.future) this.note("the service", description);
    if (this.plan.varies) this.note("the service", describePolicy(this.emulator.policy));
    for (const outage of outages) this.#failCompletely(outage).catch(atTheEnd);
    for (const at of others) this.#actAsAnotherClient(at).catch(atTheEnd);
    const isEndless = new Promise<void>((resolve) => {
      this.#stop = resolve;
    });
    const lived = Promise.all(this.#processes.map((worker) => this.#liveWithFaults(worker)));
    lived.catch(atTheEnd);
    await Promise.race([lived, isEndless]);
    if (this.#isOver) return;

    added.clear();
    for (const worker of this.#processes) worker.calm();
    await clock.sleep(AFTERWARDS_MS);
    if (this.#isOver) return;
    this.note("the service", "has no faults from now on, and the program starts again");
    const [first] = this.#processes;
    const last = first && (await Promise.race([this.#live(first, () => this.#lastOrders()), isEndless]));
    if (isError(last))
      this.accuse("program_failed", `without faults, it fails at each start: ${last.message}`);
    if (this.#isOver) return;
    await checkWorld(this.#app, this);
  }

  /** Outside a test, Node ends a process with such a rejection. */
  receiveUnhandled(reason: unknown): void {
    const message = sentence(messageOfThrown(reason));
    this.accuse("program_failed", `a rejection is not handled: ${message} Await every promise.`);
    this.#stop();
  }

  get #isOver(): boolean {
    return this.#isStopped || this.violations.length > 0;
  }

  /** No process continues or starts. */
  stop(): void {
    this.#isStopped = true;
    this.end();
    this.#stop();
  }

  /** Nothing of the world's processes continues. */
  end(): void {
    for (const worker of this.#processes) worker.begin([]).end();
  }

  async #liveWithFaults(worker: WorldProcess): Promise<void> {
    const { startsAt, stopsAt, orders: ids } = worker.plan;
    await this.emulator.clock.sleep(startsAt);
    const own = this.orders.filter(({ id }) => ids.includes(id));
    await this.#live(worker, () => own.filter((order) => isOpenFor(worker.name, order)), stopsAt);
  }

  /**
   * Runs a process until its program has ended, with a restart after each crash and failure. Resolves with the last error
   * if it fails too often.
   */
  async #live(
    worker: WorldProcess,
    handOut: () => readonly OrderState[],
    stopsAt: number | null = null,
  ): Promise<Error | null> {
    const { clock } = this.emulator;
    for (let failures = 0, stops = stopsAt; ; stops = null) {
      await worker.awake();
      if (this.#isStopped) return null;
      const life = worker.begin(handOut());
      if (stops !== null) this.#stopLater(life, stops).catch(atTheEnd);
      this.note(worker.name, `starts${life.life > 1 ? " again" : ""}, with ${listOf(life.orders)}`);
      const ended = await this.#runLife(life);
      if (ended === "done") return null;
      if (typeof ended === "number") {
        await clock.sleep(ended);
        continue;
      }
      this.note(worker.name, `fails: ${ended.message}`);
      this.occurred.add("failure");
      if (++failures >= MOST_FAILURES) return ended;
      await clock.sleep(RESTART_MS);
    }
  }

  /** Resolves when the program has ended, with the time until its next start after a crash, or with its error. */
  async #runLife(life: Life): Promise<"done" | number | Error> {
    const program = runAs(life, () => this.#start(life));
    const timer = new AbortController();
    const endless = this.emulator.clock.sleep(this.#longestLife(), timer.signal).then(
      () => "endless" as const,
      () => "done" as const,
    );
    const ended = await Promise.race([program, life.crashed, endless]);
    timer.abort("ended");
    life.end();
    const open = life.orders.filter(({ id }) => isOpenFor(life.name, this.orderOf(id)));
    if (ended === "done" && open.length > 0) this.note(life.name, `ends, with ${listOf(open)} open`);
    if (ended !== "endless") return ended;
    this.accuse(
      "never_ends",
      `${life.name} did not end within ${duration(this.#longestLife())}; ${listOf(open)} open${life.advice}`,
    );
    return "done";
  }

  async #start(life: Life): Promise<"done" | Error> {
    try {
      await this.#app.start(life);
      await life.idle();
      return "done";
    } catch (error) {
      life.isCrashed = true;
      return isError(error) ? error : new Error(String(error));
    }
  }

  /** Without the time for which processes are suspended. */
  #longestLife(): number {
    const mishaps = this.plan.processes.flatMap((each) => each.mishaps.map(([, mishap]) => mishap));
    return LONGEST_LIFE_MS + mishaps.reduce((sum, each) => sum + (each.kind === "freeze" ? each.ms : 0), 0);
  }

  /** Sends SIGTERM, and SIGKILL to a program that has not ended in time. */
  async #stopLater(life: Life, ms: number): Promise<void> {
    const { clock } = this.emulator;
    await clock.sleep(ms);
    if (life.isDead) return;
    life.stop();
    await clock.sleep(SHUTDOWN_MS);
    if (life.isDead) return;
    // A suspended process cannot end.
    if (life.endsBySignal && !this.occurred.has("freeze"))
      this.accuse(
        "shutdown_ignored",
        `${life.name} reads its signal, and did not end within 60 s of the abort`,
      );
    life.crash(RESTART_MS);
  }

  /** The orders of the last start: those that a process has left open, and in some worlds all, as from a queue. */
  #lastOrders(): readonly OrderState[] {
    const isLeft = (order: OrderState) =>
      this.#processes.some(({ name, plan }) => plan.orders.includes(order.id) && isOpenFor(name, order));
    return this.plan.redelivers ? this.orders : this.orders.filter(isLeft);
  }

  async #failCompletely({ at, ms }: Plan["outages"][number]): Promise<void> {
    const { clock, faults } = this.emulator;
    await clock.sleep(at);
    this.note("the service", `fails for ${duration(ms)}`);
    faults.clear();
    faults.add({ probability: 1, fault: { kind: "status", status: 500, when: "before" } });
    await clock.sleep(ms);
    faults.clear();
  }

  async #actAsAnotherClient(at: number): Promise<void> {
    const { clock, fetch, url, apiKey } = this.emulator;
    await clock.sleep(at);
    const body = JSON.stringify({
      model: "provider_b",
      task_type: "music",
      input: { prompt: `of another client at ${at} ms` },
    });
    const headers = { "x-api-key": apiKey, "Content-Type": "application/json" };
    await fetch(`${url}/api/v1/task`, { method: "POST", headers, body }).catch(() => {});
    this.note("another client", "creates a task of the same account");
  }

  orderOf(id: string): OrderState {
    const order = this.orders.find((each) => each.id === id);
    if (order === undefined) throw new RangeError(`No order of this world has the ID ${id}.`);
    return order;
  }

  stopAs(endless: string): void {
    this.accuse("never_ends", endless);
    this.#stop();
  }

  note(actor: string, text: string): NotedLine {
    const line: Line = { at: this.emulator.clock.now() - VIRTUAL_START, actor, text };
    this.story.push(line);
    return {
      remove: () => void this.story.splice(this.story.lastIndexOf(line), 1),
      append: (more) => {
        line.text += more;
      },
    };
  }

  accuse(check: CheckName, detail: string): void {
    this.note("BROKEN", `${check}: ${detail}`);
    this.violations.push({ check, detail });
  }
}

/** The clock of a world that has ended rejects. */
function atTheEnd(): void {}

function isOpenFor(worker: string, { delivered, givenUp }: OrderState): boolean {
  return delivered.length === 0 && !givenUp.has(worker);
}

function listOf(orders: readonly { id: string }[]): string {
  return orders.length === 0 ? "no orders" : orders.map(({ id }) => id).join(", ");
}
