import { expect, test, vi } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import type { Page } from "../../../tools/browser/browser.js";
import { serviceOf, TASK } from "../../emulator/support/service.js";
import { LYRICS, openDashboard, openPage } from "./support/dashboard.js";

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
  const pages = [
    page,
    ...(await Promise.all(ZONES.map((timezoneId) => openPage(server.url, { timezoneId })))),
  ];
  for (const [view, part, charts] of [
    ["/", "h1:text-is('What happened')", 0],
    ["/account/statement", "h1:text-is('Statement')", 1],
    ["/account", "h1:text-is('Billing and payments')", 0],
    ["/account/keys", "h1:text-is('Keys')", 0],
    ["/tasks", ".rows", 0],
    ["/tasks?view=scale", ".time-axis", 0],
    [`/tasks/${taskId}`, ".crumbs", 0],
    ["/requests?rate=1", ".rows", 1],
    ["/requests?open=1", ".exchange h2", 0],
    ["/scenarios", "h1:text-is('Scenarios')", 0],
  ] as const) {
    for (const each of pages) {
      await each.goto(`${server.url}/#${view}`);
      await each.locator(`main[data-ready=true] ${part}`).first().waitFor();
    }
    // A busy page shows its data and its charts later than another one.
    const check = async () => {
      const [expected, ...others] = await Promise.all(pages.map(shownOn));
      expect(expected?.texts).toContain("2026-02-01 01:00:00");
      expect(expected?.charts.length).toBe(charts);
      for (const shown of others) expect(shown).toEqual(expected);
    };
    await vi.waitFor(check, { timeout: 60_000, interval: 250 });
  }
});

/** Every time, all text, and the pixels of the charts, whose axes have times. */
function shownOn(page: Page) {
  return page.evaluate(() => ({
    texts: [...document.querySelectorAll("time")].map((time) => time.textContent),
    // The generated IDs of fields depend on the order in which the parts of a page were drawn.
    html: document.body.innerHTML.replaceAll(/\bP\d+-\d+/g, "id"),
    charts: [...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
  }));
}
