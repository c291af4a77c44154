import type { TaskRequest } from "../../src/contract/requests.js";
import { memoryJournal } from "../../src/journal/memory-journal.js";
import { checkOptionNames } from "../core/checks.js";
import type { App, ExploreOptions } from "./app.js";
import { drawPlan, PLAN_LISTS, type Plan } from "./plan.js";
import { shrink } from "./shrink.js";
import { type StoryNotes, tellStory } from "./story.js";
import type { Violation, WorldResult } from "./verdict.js";
import { runWorld, type WorldInputs } from "./world.js";

/** What an exploration without a broken world returns. */
export interface Exploration {
  /** How many worlds ran. */
  readonly worlds: number;
}

/**
 * A world in which the program broke a promise. The message is its story: the smallest such world that was found, as a
 * timeline, with the code that repeats it. Only `explore` and `replay` create this error.
 */
export class BrokenWorldError extends Error {
  override readonly name = "BrokenWorldError";
  /** The seed of the first broken world. */
  readonly seed: number;
  /** The smallest broken world, for `replay`. */
  readonly plan: Plan;
  /** The promises that the program broke in that world. */
  readonly violations: readonly Violation[];

  /** @internal */
  constructor(seed: number, plan: Plan, { violations, story }: WorldResult, notes: StoryNotes = {}) {
    super(tellStory(seed, plan, violations, story, notes));
    this.seed = seed;
    this.plan = plan;
    this.violations = violations;
  }
}

/** What a repetition needs, too. */
const REPLAY_OPTIONS = ["request", "journal"] as const;

/**
 * Runs a program in many random worlds, on virtual time: with faults of the service, crashes at any step, failing storage,
 * several processes, suspended processes, changed clocks and other clients of the account. In each world it checks that
 * each order was charged at most once, that each charged song was delivered, that no rule of the service was broken, that no
 * credits stay frozen, and that the program ends.
 *
 * The same seed gives the same worlds on every machine. A world uses nothing real: the global timers and `Date` run on its
 * clock while it runs. So worlds of one process run one after the other, and no other test may run meanwhile.
 *
 * A world takes 10 to 50 ms, and the default of 1,000 worlds up to a minute. Raise the time limit of the test, or pass a
 * smaller `count`, and pass the `signal` of the test.
 *
 * @param app - the program, or a function that creates it for each world
 * @returns the number of worlds, if none is broken
 * @throws BrokenWorldError for the first broken world, made as small as possible
 * @throws RangeError for an invalid option, for a program without `start`, and for a request without the ID of its order
 * @throws the reason of `signal`, once it is aborted
 *
 * @example
 * ```ts
 * import { AsyncMusic, AsyncMusicError, SubmissionOutcomeUnknownError, TaskFailedError } from "async-music";
 * import { type App, explore } from "async-music/emulator/worlds";
 *
 * const shop: App = {
 *   async start(process) {
 *     const client = new AsyncMusic(process.connection());
 *     for (const order of process.orders) {
 *       try {
 *         const options = { journal: process.journal, journalKey: order.id };
 *         const song = await client.tasks.run(order.request, options);
 *         await process.deliver(order, song.task_id);
 *       } catch (error) {
 *         if (error instanceof TaskFailedError) await process.giveUp(order, "failed");
 *         // The next start continues.
 *         else if (!(error instanceof AsyncMusicError) || error.taskId !== null) throw error;
 *         else if (error instanceof SubmissionOutcomeUnknownError) await process.giveUp(order, "unknown");
 *         else if ("status" in error && [400, 402, 403].includes(Number(error.status)))
 *           await process.giveUp(order, "refused");
 *         else throw error;
 *       }
 *     }
 *   },
 * };
 *
 * await explore(shop, { seed: 1, count: 50 });
 * ```
 */
export async function explore(app: App | (() => App), options: ExploreOptions = {}): Promise<Exploration> {
  checkOptionNames(options, [...REPLAY_OPTIONS, "seed", "count", "processes", "orders", "future", "signal"]);
  const { seed = 1, count = 1000, processes = 2, orders = 3, future = false, signal } = options;
  checkWhole("seed", seed, 0);
  checkWhole("count", count, 1);
  checkWhole("processes", processes, 1);
  checkWhole("orders", orders, 1);
  const scope = { orders, processes, future };
  const run = async (plan: Plan) => {
    signal?.throwIfAborted();
    const result = await runWorld(createApp(app), plan, inputsOf(options), signal);
    signal?.throwIfAborted();
    return result;
  };
  const inputNames = REPLAY_OPTIONS.filter((name) => options[name] !== undefined);
  await loadAll();
  // Loads what the program loads at its first use: otherwise the first world could differ from its repetition.
  await run(drawPlan(seed, scope));
  for (let world = seed; world < seed + count; world++) {
    const plan = drawPlan(world, scope);
    const result = await run(plan);
    if (result.violations.length > 0) throw await smallestWorld(world, plan, result, run, inputNames);
  }
  return { worlds: count };
}

/**
 * Runs a program in one world: that of a `BrokenWorldError`.
 *
 * @throws BrokenWorldError if the world is broken
 * @throws RangeError for an invalid option or plan, and for a program without `start`
 */
export async function replay(
  app: App | (() => App),
  plan: Plan,
  options: Pick<ExploreOptions, "request" | "journal"> = {},
): Promise<void> {
  checkOptionNames(options, REPLAY_OPTIONS);
  checkPlan(plan);
  await loadAll();
  const result = await runWorld(createApp(app), plan, inputsOf(options));
  if (result.violations.length > 0)
    throw new BrokenWorldError(plan.seed, plan, result, { inputs: Object.keys(options) });
}

async function smallestWorld(
  seed: number,
  plan: Plan,
  result: WorldResult,
  run: (plan: Plan) => Promise<WorldResult>,
  inputs: readonly string[],
): Promise<BrokenWorldError> {
  const check = result.violations[0]?.check;
  const isBroken = async (candidate: Plan) => (await run(candidate)).violations[0]?.check === check;
  const smallest = await shrink(plan, isBroken);
  const again = await run(smallest);
  return again.violations.length > 0
    ? new BrokenWorldError(seed, smallest, again, { inputs })
    : new BrokenWorldError(seed, plan, result, { inputs, isUnique: true });
}

/** Loads the parts of the SDK that are loaded at their first use: no time of a world may pass meanwhile. */
export async function loadAll(): Promise<void> {
  await import("../../src/tasks/lazy.js");
  await import("../../src/audio/download.js");
}

function inputsOf({ request = drawRequest, journal = memoryJournal }: ExploreOptions): WorldInputs {
  return { request, journal };
}

/** Songs of both providers, and lyrics. */
export function drawRequest(id: string): TaskRequest {
  const kind = Number(id.replace(/\D/g, "")) % 3;
  if (kind === 1)
    return { model: "provider_a", task_type: "music", input: { gpt_description_prompt: `${id}: rain` } };
  if (kind === 2)
    return { model: "provider_b", task_type: "music", input: { prompt: `${id}: a calm piano` } };
  return { model: "provider_a", task_type: "lyrics", input: { prompt: `${id}: a harbor` } };
}

function createApp(app: App | (() => App)): App {
  const created = typeof app === "function" ? app() : app;
  if (typeof created?.start === "function") return created;
  // The function is the program itself, or waits for something.
  if (created instanceof Promise) created.catch(() => {});
  const got = created instanceof Promise ? "a function that returns a promise" : typeof created;
  throw new RangeError(
    `\`app\` must be an object with a method \`start\`, or a function that returns one; got ${got}. Pass \`{ start: async (process) => { … } }\`.`,
  );
}

function checkPlan(plan: Plan): void {
  const missing = PLAN_LISTS.find((name) => !Array.isArray(plan?.[name]));
  if (missing === undefined) return;
  throw new RangeError(`\`plan\` must be the plan of a BrokenWorldError; it has no list \`${missing}\`.`);
}

function checkWhole(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`\`${name}\` must be a whole number of at least ${least}; got ${value}.`);
}
