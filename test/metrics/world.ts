import {
  AsyncMusic,
  AsyncMusicError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  type TaskSubmission,
} from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { recordMetrics } from "async-music/opentelemetry";
import { randomStream } from "../../emulator/time/random.js";
import { useVirtualGlobals } from "../../emulator/worlds/virtual-globals.js";
import { aborted } from "../support/aborted.js";
import { all } from "../support/collect.js";
import { createMeter, type Series } from "../support/metrics.js";
import { drawPlan, type Order, type Plan } from "./plan.js";

/** What the application, the network and the service noted of a world, without the metrics. */
export interface Facts {
  plan: Plan;
  requests: Emulator["requests"];
  ledger: ReturnType<Emulator["accounts"]["get"]>["ledger"];
  tasks: ReturnType<Emulator["state"]>["tasks"];
  /** The tasks that the application received. */
  submitted: Set<string>;
  /** The orders whose submission has an unknown outcome. */
  unknown: Order[];
  /** The orders that were certainly not carried out. */
  refused: Order[];
  /** The method and path of each request whose connection failed, and of each that stalled on its way to the service. */
  unreached: { method: string; path: string }[];
  stalled: { method: string; path: string }[];
  /** By task: from its end to the first complete response that reports it, in milliseconds. */
  discovered: Map<string, number>;
}

/** Runs one world, from its seed to the end of all its tasks. */
export async function runWorld(seed: number): Promise<{ series: Series[]; facts: Facts }> {
  const plan = drawPlan(seed);
  const { credits, limit } = plan;
  await using emulator = createEmulator({ seed, credits, limits: { requests: limit, windowSeconds: 60 } });
  const restoreTimers = useVirtualGlobals(emulator.clock);
  try {
    const world = new MeteredWorld(plan, emulator);
    const series = await world.run();
    const { accounts, accountId, requests } = emulator;
    const { ledger } = accounts.get(accountId);
    return { series, facts: { ...world.facts, requests, ledger, tasks: emulator.state().tasks } };
  } finally {
    restoreTimers();
  }
}

class MeteredWorld {
  readonly facts: Omit<Facts, "requests" | "ledger" | "tasks">;
  readonly #emulator: Emulator;
  readonly #clients: AsyncMusic[];
  readonly #journal = memoryJournal();
  readonly #metering = createMeter();
  readonly #random: () => number;

  constructor(plan: Plan, emulator: Emulator) {
    this.facts = {
      plan,
      submitted: new Set(),
      unknown: [],
      refused: [],
      unreached: [],
      stalled: [],
      discovered: new Map(),
    };
    this.#emulator = emulator;
    this.#random = randomStream(plan.seed, "network");
    for (const rule of plan.faults) emulator.faults.add(rule);
    this.#clients = Array.from({ length: plan.clients }, (_, index) => {
      const random = randomStream(plan.seed, "client", String(index));
      const client = new AsyncMusic({ ...emulator.connection(), random, fetch: this.#fetch });
      recordMetrics(client, { meter: this.#metering.meter, tenants: true });
      return client;
    });
  }

  async run(): Promise<Series[]> {
    const { orders } = this.facts.plan;
    await Promise.all(orders.map((order, index) => this.#carryOut(order, index)));
    // Also the tasks that the application does not know end now.
    await this.#emulator.clock.advance(2 * 3_600_000);
    return this.#metering.read();
  }

  /** The network: some requests do not reach the service. */
  readonly #fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const probability = this.#random();
    const { unreachable, stalled } = this.facts.plan;
    const { method, url } = request;
    const { pathname: path } = new URL(url);
    if (probability < unreachable) {
      this.facts.unreached.push({ method, path });
      throw new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) });
    }
    if (probability < unreachable + stalled) {
      this.facts.stalled.push({ method, path });
      return aborted(request);
    }
    const response = await this.#emulator.fetch(request);
    void this.#noteEnd(response.clone());
    return response;
  };

  async #noteEnd(response: Response): Promise<void> {
    const now = this.#emulator.clock.now();
    const { data } = Object(await response.json().catch(() => null));
    const { task_id, completed_at } = Object(data);
    if (typeof completed_at !== "string" || this.facts.discovered.has(task_id)) return;
    this.facts.discovered.set(task_id, now - Date.parse(completed_at));
  }

  async #carryOut(order: Order, index: number): Promise<void> {
    const client = this.#clients[index % this.#clients.length];
    if (client === undefined) return;
    await this.#emulator.clock.sleep(order.startsAt);
    await client.account.balance().catch(() => {});
    const task = await this.#submit(client, order);
    if (task === null) return;
    const { tenant } = order;
    const isEnded = () => this.facts.discovered.has(taskIdOf(task));
    // A wait ends early only if a callback throws or the time is over; neither happens here.
    if (!isEnded()) await client.tasks.wait(task, { tenant }).catch(() => {});
    // A task that ended long ago is found again, and counts once.
    await client.tasks.wait(task, { tenant }).catch(() => {});
  }

  /** Creates the task of an order, and waits for it in most modes. `null`: there is no task, or none that is known. */
  async #submit(client: AsyncMusic, order: Order): Promise<TaskSubmission | string | null> {
    const { request, outcome, tenant, mode, words } = order;
    const headers = { "X-Emulator-Outcome": JSON.stringify(outcome) };
    let submission: TaskSubmission | null = null;
    const onSubmitted = (each: TaskSubmission) => {
      submission = each;
      this.facts.submitted.add(each.task_id);
    };
    const journaled = { journal: this.#journal, journalKey: words };
    try {
      if (mode === "run") await client.tasks.run(request, { headers, tenant, onSubmitted });
      else if (mode === "journal")
        await client.tasks.run(request, { headers, tenant, onSubmitted, ...journaled });
      else if (mode === "batch") {
        const options = { headers, onSubmitted, ...(tenant && { tenant: () => tenant }) };
        for (const { error } of await all(client.tasks.runAll([request], options))) if (error) throw error;
      } else {
        onSubmitted(await client.tasks.create(request, { headers, tenant }));
        const task = Object(submission);
        if (mode === "watch") await all(client.tasks.watch(task, { tenant }));
        if (mode === "waits") await Promise.all([1, 2].map(() => client.tasks.wait(task, { tenant })));
      }
      return submission;
    } catch (error) {
      if (submission === null) return this.#noteFailure(client, order, error);
      return submission;
    }
  }

  async #noteFailure(client: AsyncMusic, order: Order, error: unknown): Promise<string | null> {
    const { submitted, unknown, refused } = this.facts;
    const taskId = error instanceof AsyncMusicError ? error.taskId : null;
    if (taskId !== null) {
      submitted.add(taskId);
      return taskId;
    }
    if (!(error instanceof SubmissionOutcomeUnknownError)) {
      refused.push(order);
      return null;
    }
    unknown.push(order);
    // Another run with the key sends nothing: the order is still one.
    const journaled = { journal: this.#journal, journalKey: order.words };
    if (order.mode === "journal") await client.tasks.run(order.request, journaled).catch(() => {});
    return null;
  }
}

function taskIdOf(task: TaskSubmission | string): string {
  return typeof task === "string" ? task : task.task_id;
}
