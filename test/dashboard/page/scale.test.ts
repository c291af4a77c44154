import { describe, expect, test } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import type { Page } from "../../../tools/browser/browser.js";
import { BALANCE, serviceOf } from "../../emulator/support/service.js";
import { type Dashboard, LYRICS, openDashboard } from "./support/dashboard.js";

const TASKS = 5000;
const REQUESTS = 50_000;

/** A user notices longer tasks of the page. A slow machine has a higher limit. All are milliseconds of CPU. */
const LONG_TASK_MS = 100;

/** The page's own long tasks occur in each round; a collection of garbage does not. */
const ROUNDS = 3;

/** Creates the tasks and requests. A tenth of the tasks is unfinished. */
async function fill(emulator: Emulator, requests = REQUESTS): Promise<void> {
  const { create, read, get } = serviceOf(emulator);
  emulator.providers.provider_a.always({ polls: 1 });
  for (let count = 0; count < TASKS; count++) {
    const taskId = await create(LYRICS);
    if (count % 10 !== 0) await read(taskId);
  }
  while (emulator.requests.length < requests) await get(BALANCE);
}

describe("a large log", () => {
  test("of 5,000 tasks and 50,000 requests is listed, searched and updated without long tasks", async () => {
    const dashboard = await openDashboard({
      emulator: { credits: 100_000, limits: { requests: 1_000_000, windowSeconds: 60 } },
      prepare: (emulator) => fill(emulator),
    });
    await expectShortTasks(dashboard.page, (round) => useViews(dashboard, round));
  });
});

async function useViews({ page, api, goTo }: Dashboard, timesBefore: number): Promise<void> {
  const shownRows = page.locator('[role="row"]');
  await goTo("/requests");
  await page.getByText(counted(REQUESTS + timesBefore), { exact: true }).waitFor();
  await expect.poll(() => shownRows.count()).toBeLessThan(60);
  await api("GET", "/account/usage");
  await page
    .getByRole("row", { name: /account\/usage/ })
    .nth(timesBefore)
    .waitFor();
  await page.getByRole("group", { name: "Requests" }).hover();
  for (let turns = 0; turns < 10; turns++) await page.mouse.wheel(0, 20_000);
  await expect.poll(() => shownRows.nth(5).getAttribute("aria-rowindex")).toMatch(/^\d{4}/);
  await page.getByLabel("Search").fill("usage");
  await page.getByText(counted(timesBefore + 1), { exact: true }).waitFor();

  await page.getByRole("link", { name: "Tasks" }).click();
  await page.getByText("5,000 tasks", { exact: true }).waitFor();
  await expect.poll(() => shownRows.count()).toBeLessThan(60);
  await page.getByLabel("Status").selectOption("pending");
  await page.getByText("500 tasks", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("link", { name: "Statement" }).click();
  await page.getByText("9,501 movements").waitFor();
}

test("the first useful paint does not depend on the length of the log", async () => {
  const limits = { requests: 1_000_000, windowSeconds: 60 };
  const emulator = { credits: 100_000, limits };
  const empty = await openDashboard({ emulator });
  const long = await openDashboard({ emulator, prepare: (each) => fill(each, 60_000) });
  for (const [view, useful] of [
    ["/", ".figures strong"],
    ["/requests", ".heading h1"],
  ] as const) {
    const times = { empty: [] as number[], long: [] as number[] };
    for (let load = 0; load < 4; load++) {
      for (const [name, { page, server }] of Object.entries({ empty, long })) {
        await page.goto("about:blank");
        await page.goto(`${server.url}/#${view}`);
        await page.locator(useful).first().waitFor();
        if (view === "/requests" && name === "long") await page.locator(".rows .body .row").first().waitFor();
        times[name as keyof typeof times].push(await page.evaluate(() => performance.now()));
      }
    }
    expect(Math.min(...times.long)).toBeLessThan(Math.max(300, 2.5 * Math.min(...times.empty)));
  }
  await long.page.getByText("60,000 requests", { exact: true }).waitFor();
});

describe("a busy emulator", () => {
  test("with 5,000 tasks and 50 requests a second is shown without long tasks", async () => {
    const dashboard = await openDashboard({
      emulator: { credits: 100_000, limits: { requests: 1_000_000, windowSeconds: 60 } },
      prepare: (emulator) => fill(emulator, 0),
    });
    const { page, api, goTo } = dashboard;
    await expectShortTasks(page, async () => {
      await goTo("/requests");
      await page.getByRole("row", { name: /api/ }).first().waitFor();
      for (const view of ["Tasks", "Requests", "Overview"]) {
        await page.getByRole("link", { name: view, exact: true }).click();
        for (let second = 0; second < 2; second++) {
          const requests = Array.from({ length: 50 }, () => api("GET", "/account/balance"));
          await Promise.all([...requests, page.waitForTimeout(1000)]);
        }
      }
    });
  });
});

function counted(requests: number): string {
  return `${requests.toLocaleString("en")} ${requests === 1 ? "request" : "requests"}`;
}

/** Uses the page until a round of it had no long task. */
async function expectShortTasks(page: Page, use: (round: number) => Promise<void>): Promise<void> {
  const limitMs = Math.max(
    LONG_TASK_MS,
    6 * (await longestTaskMs(page, () => page.evaluate(parseLog, REQUESTS))),
  );
  const longest: number[] = [];
  while (longest.length < ROUNDS && Math.min(...longest) >= limitMs)
    longest.push(await longestTaskMs(page, () => use(longest.length)));
  expect(Math.min(...longest)).toBeLessThan(limitMs);
}

/** Parses a log of this length: the measure of how fast the machine's browser is. */
function parseLog(count: number): void {
  const request = {
    at: "2026-01-01T00:00:00.000Z",
    method: "GET",
    path: "/api/v1/account/balance",
    status: 200,
  };
  JSON.parse(JSON.stringify(Array.from({ length: count }, () => request)));
}

interface TraceEvent {
  name: string;
  tid: number;
  /** CPU time in microseconds. */
  tdur?: number;
  args: { name?: string };
}

/** The longest task of the page during an action, in milliseconds of CPU: other work on the machine does not count. */
async function longestTaskMs(page: Page, action: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ["toplevel"] });
  await action();
  const trace = await browser?.stopTracing();
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(String(trace));
  const named = traceEvents.filter(({ name }) => name === "thread_name");
  const threads = named.filter(({ args }) => args.name === "CrRendererMain").map(({ tid }) => tid);
  const times = traceEvents.flatMap(({ tid, tdur }) => (threads.includes(tid) ? (tdur ?? 0) / 1000 : []));
  expect(times.length).toBeGreaterThan(0);
  return Math.max(...times);
}
