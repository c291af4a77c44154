import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import { serviceOf, TASK } from "../../emulator/support/service.js";
import { closeBrowser, openDashboard, openPage } from "./support/dashboard.js";

afterAll(closeBrowser);

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "a lighthouse" } };
/** East and west of UTC, neither by whole hours. */
const ZONES = ["Asia/Kathmandu", "America/St_Johns"];
/** Already February in the east, and still January in the west. */
const EVENING = Date.parse("2026-01-31T20:00:00Z");
const NIGHT = "2026-02-01T01:00:00.000Z";

/** Payments, a paused automatic top-up, tasks and requests around the end of a month. Resolves with a task's ID. */
async function prepare(emulator: Emulator): Promise<string> {
  const { accounts, accountId: id, clock } = emulator;
  const service = serviceOf(emulator);
  await clock.advance(EVENING - clock.now());
  accounts.topUp(id, { usd: 10, method: "card" });
  const amounts = { threshold_credits: 5_000, recharge_usd: 10, monthly_cap_usd: 100 };
  accounts.setAutoTopUp(id, { enabled: true, ...amounts, ...accounts.authorize(id) });
  const taskId = await service.create(LYRICS);
  await clock.advance(Date.parse(NIGHT) - clock.now());
  await service.get(`${TASK}/${taskId}`);
  accounts.createKey(id);
  accounts.update(id, { saved_card: "refuses" });
  return service.create(LYRICS);
}

test("every view shows the same times, in UTC, whatever the browser's time zone is", async () => {
  let taskId = "";
  const { page, server } = await openDashboard({
    context: { timezoneId: "UTC" },
    async prepare(emulator) {
      taskId = await prepare(emulator);
    },
  });
  const elsewhere = await Promise.all(ZONES.map((timezoneId) => openPage(server.url, { timezoneId })));
  for (const view of [
    "/",
    "/account",
    "/tasks",
    "/tasks?view=scale",
    `/tasks/${taskId}`,
    "/requests",
    "/requests?open=1",
    "/scenarios",
  ]) {
    const expected = await read(page, `${server.url}/#${view}`);
    expect(expected.texts, view).toContain("2026-02-01 01:00:00");
    for (const other of elsewhere) {
      await read(other, `${server.url}/#${view}`);
      await expect.poll(() => shownOn(other), { message: view }).toEqual(expected);
    }
  }
});

/** The view, once two readings are the same. */
async function read(page: Page, url: string) {
  await page.goto(url);
  await page.locator("main[data-ready=true]").waitFor();
  let [last, next] = ["", JSON.stringify(await shownOn(page))];
  while (last !== next) {
    await page.waitForTimeout(500);
    [last, next] = [next, JSON.stringify(await shownOn(page))];
  }
  return shownOn(page);
}

/** Every time, all text, and the pixels of the charts, whose axes have times. */
function shownOn(page: Page) {
  return page.evaluate(() => ({
    texts: [...document.querySelectorAll("time")].map((time) => time.textContent),
    html: document.body.innerHTML,
    charts: [...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
  }));
}
