import { afterAll, describe, expect, test } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import { closeBrowser, openDashboard } from "./support/dashboard.js";

afterAll(closeBrowser);

const TASKS = 5000;
const REQUESTS = 50_000;

/** Longer than this, and hands notice that the page is at work. */
const STUTTER_MS = 200;

/** As many tasks and requests, a tenth of the tasks still open. */
async function crowd(emulator: Emulator): Promise<void> {
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  emulator.providers.provider_a.always({ polls: 1 });
  const body = JSON.stringify({ model: "provider_a", task_type: "lyrics", input: { prompt: "a crowd" } });
  for (let count = 0; count < TASKS; count++) {
    const created = await emulator.fetch(`${emulator.url}/api/v1/task`, { method: "POST", headers, body });
    const { data } = await created.json();
    if (count % 10 !== 0) await emulator.fetch(`${emulator.url}/api/v1/task/${data.task_id}`, { headers });
  }
  while (emulator.requests.length < REQUESTS)
    await emulator.fetch(`${emulator.url}/api/v1/account/balance`, { headers });
}

describe("a crowd", () => {
  test("5,000 tasks and 50,000 requests are windowed, found and followed without stutter", async () => {
    const { page, api, goTo } = await openDashboard({
      emulator: { credits: 100_000, limits: { requests: 1_000_000, windowSeconds: 60 } },
      prepare: crowd,
    });
    await goTo("/requests");
    await page.getByText("50,000 requests", { exact: true }).waitFor({ timeout: 20_000 });
    expect(await page.locator('[role="row"]').count()).toBeLessThan(60);
    await page.evaluate(watchForStutter);
    await api("GET", "/account/usage");
    await page.getByRole("row", { name: /account\/usage/ }).waitFor();
    await page.getByRole("group", { name: "Requests" }).hover();
    for (let turns = 0; turns < 10; turns++) await page.mouse.wheel(0, 20_000);
    await expect
      .poll(() => page.locator('[role="row"]').nth(5).getAttribute("aria-rowindex"))
      .toMatch(/^\d{4}/);
    await page.getByLabel("Search").fill("usage");
    await page.getByText("1 request", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Tasks" }).click();
    await page.getByText("5,000 tasks", { exact: true }).waitFor();
    expect(await page.locator('[role="row"]').count()).toBeLessThan(60);
    await page.getByLabel("Status").selectOption("pending");
    await page.getByText("500 tasks", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("9,501 movements").waitFor();
    const longest = await page.evaluate(() => (globalThis as unknown as Watched).longestMs());
    expect(longest).toBeLessThan(STUTTER_MS);
  }, 90_000);
});

interface Watched {
  longestMs(): number;
}

/** Keeps the longest time for which the page could do nothing else. */
function watchForStutter(): void {
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ type: "longtask" });
  Object.assign(globalThis, { longestMs: () => longest });
}
