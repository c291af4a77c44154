import { randomInt } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { unwatch } from "../lifecycle/begun.js";
import { type Series, totals } from "../support/metrics.js";
import { type Facts, runWorld } from "./world.js";

// At the end of a random world with faults, 429s, failures, timeouts and unknown outcomes, the metrics equal the ledger and
// the request log of the emulator.

// The last request of a world may be in flight at its end.
beforeEach(unwatch);

test("the metrics of a random world equal the ledger and the request log", async () => {
  const seen = await checkWorlds(1, 12);
  // Each kind of fault occurred, so that none is compared with nothing.
  for (const [kind, times] of Object.entries(seen)) expect(times, kind).toBeGreaterThan(0);
});

test("so do those of worlds from a random seed", async () => {
  const first = randomInt(2 ** 32);
  process.stdout.write(`Random seed of the worlds with metrics: ${first}\n`);
  await checkWorlds(first, 6);
});

async function checkWorlds(from: number, count: number): Promise<Record<string, number>> {
  const seen = { limited: 0, unknown: 0, hidden: 0, refunded: 0, timeouts: 0, unreached: 0, stalled: 0 };
  for (let seed = from; seed < from + count; seed++) {
    const { series, facts } = await runWorld(seed);
    const world = `world ${seed}`;
    expectAttempts(series, facts, world);
    expectSubmissions(series, facts, world);
    expectTasks(series, facts, world);
    expectCredits(series, facts, world);
    seen.limited += facts.requests.filter(({ status }) => status === 429).length;
    seen.unknown += facts.unknown.length;
    seen.hidden += hiddenTasks(facts).length;
    seen.refunded += facts.ledger.filter(({ kind }) => kind === "refund").length;
    seen.timeouts += facts.tasks.filter(({ status }) => status === "timeout").length;
    seen.unreached += facts.unreached.length;
    seen.stalled += facts.stalled.length;
  }
  return seen;
}

/** Where a request went: its method and the template of its path. */
function routeOf({ method, path }: { method: string; path: string }): string {
  const template = path.startsWith("/api/") ? path.replace(/\/task\/.+/, "/task/{taskId}") : "-";
  return `${method} ${template}`;
}

function count(keys: readonly string[]): Record<string, number> {
  return sum(keys.map((key) => [key, 1] as const));
}

function sum(entries: Iterable<readonly [string, number]>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [key, value] of entries) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}

const total = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** The requests that the service saw, with those that never reached it. */
function expectAttempts(series: readonly Series[], facts: Facts, world: string): void {
  const { requests, unreached, stalled } = facts;
  const routes = [...requests, ...unreached, ...stalled].map(routeOf);
  const labels = ["http.request.method", "url.template"];
  expect(totals(series, "async_music.attempts", ...labels), world).toEqual(count(routes));
  expect(totals(series, "http.client.request.duration", ...labels), world).toEqual(count(routes));

  const failed = requests.filter(({ status }) => status !== null && status >= 400);
  const statuses = totals(series, "async_music.attempts", ...labels, "http.response.status_code");
  const failures = Object.entries(statuses).filter(([key]) => /[45]\d\d$/.test(key));
  expect(Object.fromEntries(failures), world).toEqual(
    count(failed.map((each) => `${routeOf(each)} ${each.status}`)),
  );
  const types = totals(series, "async_music.attempts", "error.type");
  expect(types["never_sent"] ?? 0, world).toBe(unreached.length);
  expect(types["timed_out"] ?? 0, world).toBe(stalled.length);

  // Each attempt was admitted once.
  const admissions = Object.values(totals(series, "async_music.queue.duration", "async_music.request.kind"));
  expect(total(admissions), world).toBe(routes.length);
}

/** The tasks that exist, and that the application does not know: the outcome of their submission is unknown. */
function hiddenTasks({ tasks, submitted }: Facts): Facts["tasks"] {
  return tasks.filter(({ task_id }) => !submitted.has(task_id));
}

const knownTasks = ({ tasks, submitted }: Facts) => tasks.filter(({ task_id }) => submitted.has(task_id));

function expectSubmissions(series: readonly Series[], facts: Facts, world: string): void {
  const { submitted, unknown, refused, tasks } = facts;
  const expected = { created: submitted.size, unknown: unknown.length, not_created: refused.length };
  const some = Object.fromEntries(Object.entries(expected).filter(([, times]) => times > 0));
  expect(totals(series, "async_music.submissions", "async_music.outcome"), world).toEqual(some);
  expect(tasks, world).toHaveLength(submitted.size + hiddenTasks(facts).length);
  // Every task that the metrics do not count as created belongs to an order that they count as unknown.
  const words = new Set(unknown.map((order) => order.words));
  expect(
    hiddenTasks(facts).filter((task) => !words.has(wordsOf(task))),
    world,
  ).toEqual([]);
}

function wordsOf({ input }: Facts["tasks"][number]): string {
  const { gpt_description_prompt, prompt } = Object(input);
  return gpt_description_prompt ?? prompt;
}

function expectTasks(series: readonly Series[], facts: Facts, world: string): void {
  const known = knownTasks(facts);
  const keys = known.map(({ model, type, status, error_code }) => {
    return [model, type, status, error_code ?? (status === "success" ? "-" : status)].join(" ");
  });
  const names = ["model", "task_type", "outcome"].map((name) => `async_music.${name}`);
  expect(totals(series, "async_music.tasks", ...names, "error.type"), world).toEqual(count(keys));

  const found = known.map(({ task_id }) => facts.discovered.get(task_id) ?? Number.NaN);
  const delays = series.filter(({ name }) => name === "async_music.discovery.duration");
  expect(total(delays.map(({ value }) => value)), world).toBe(known.length);
  expect(total(delays.map(({ sum: seconds }) => seconds)), world).toBeCloseTo(total(found) / 1000, 6);
}

const STATES = { freeze: "frozen", settle: "settled", refund: "refunded" } as const;

function expectCredits(series: readonly Series[], facts: Facts, world: string): void {
  const { plan, ledger, tasks, submitted } = facts;
  const tenants = new Map(plan.orders.map(({ words, tenant }) => [words, tenant]));
  const owners = new Map(tasks.map((task) => [task.task_id, tenants.get(wordsOf(task)) ?? "-"]));
  const entries = ledger.flatMap(({ kind, credits, task_id }) =>
    kind === "top_up" || task_id === null || !submitted.has(task_id)
      ? []
      : [[`${STATES[kind]} ${owners.get(task_id)}`, credits] as const],
  );
  const labels = ["async_music.credit.state", "async_music.tenant"];
  expect(totals(series, "async_music.credits", ...labels), world).toEqual(sum(entries));
}
