import { describe, expect, test } from "vitest";
import { type Dashboard, openDashboard, SONG } from "./support/dashboard.js";

const START = Date.parse("2026-01-01T00:00:00Z");
const DAY_MS = 86_400_000;

const popover = (page: Dashboard["page"]) => page.getByRole("dialog", { name: "Advance the time" });
const open = (page: Dashboard["page"]) => page.getByRole("button", { name: /Advance the time/ }).click();

describe("the time", () => {
  test("eight days ahead take three actions, and the keyboard focus returns to the clock", async () => {
    const { page, emulator } = await openDashboard();
    await open(page);
    await page.keyboard.type("8 days");
    await page.keyboard.press("Enter");
    await popover(page).waitFor({ state: "hidden" });
    expect(emulator.clock.now()).toBe(START + 8 * DAY_MS);
    await page.getByRole("group", { name: "Clock" }).getByText("2026-01-09 00:00:00").waitFor();
    const label = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(label).toBe("2026-01-09 00:00:00 UTC · virtual clock. Advance the time");
  });

  test("goes to a date, and says before what will change", async () => {
    const { page, emulator, api, submit } = await openDashboard({
      prepare: ({ providers }) => providers.provider_a.always({ process_seconds: 20 }),
    });
    const done = await submit(SONG);
    await emulator.clock.advance(30_000);
    await api("GET", `/task/${done}`);
    await submit(SONG);
    await open(page);
    await page.keyboard.type("2026-01-09 12:00");
    await popover(page)
      .getByText(
        "1 task ends at its provider, 1 unfinished task reaches the task timeout, the audio of 1 task expires, 1 rate limit window ends.",
      )
      .waitFor();
    await page.keyboard.press("Enter");
    await popover(page).waitFor({ state: "hidden" });
    expect(emulator.clock.now()).toBe(START + 8.5 * DAY_MS);
    await open(page);
    await popover(page).getByText("Nothing is due").waitFor();
    await page.keyboard.type("1 day");
    await popover(page).getByText("nothing changes").waitFor();
  });

  test.each([
    ["1 task ends at its provider", 20_000],
    ["1 rate limit window ends", 60_000],
    ["1 unfinished task reaches the task timeout", 3_600_001],
  ])("goes to the next event, and says before what else changes: %s", async (name, ms) => {
    const { page, emulator, submit } = await openDashboard({
      prepare: ({ providers }) => providers.provider_a.always({ process_seconds: 20 }),
    });
    await submit(SONG);
    await open(page);
    await popover(page).getByRole("button", { name }).click();
    const outlook = popover(page).locator(".outlook");
    await outlook.getByText(name).waitFor();
    const windowEnds = (await outlook.textContent())?.includes("1 rate limit window ends");
    expect([windowEnds, emulator.clock.now()]).toEqual([ms >= 60_000, START]);
    await page.keyboard.press("Enter");
    await popover(page).waitFor({ state: "hidden" });
    expect(emulator.clock.now()).toBe(START + ms);
    await open(page);
    await expect.poll(() => popover(page).getByRole("button", { name }).count()).toBe(0);
  });

  test("goes to the expiry of the audio, which is then gone", async () => {
    const { page, api, submit } = await openDashboard({
      prepare: ({ providers }) => providers.provider_a.always({ polls: 1 }),
    });
    const taskId = await submit(SONG);
    const { data } = await (await api("GET", `/task/${taskId}`)).json();
    const audio = () => fetch(data.output.result[0].audio_url);
    expect((await audio()).status).toBe(200);
    await open(page);
    await popover(page).getByRole("button", { name: "the audio of 1 task expires" }).click();
    await popover(page).getByRole("button", { name: "Advance" }).click();
    await popover(page).waitFor({ state: "hidden" });
    expect((await audio()).status).toBe(404);
  });

  test.each([
    ["8 moons", "Enter a duration such as 8 days, or a date such as 2026-01-31 12:00."],
    ["2025-12-31", "The time can't go back: it is 2026-01-01 00:00:00 UTC."],
    ["9000 years", "Enter a duration such as 8 days"],
    ["999999999999 days", "The latest date is 9900-01-01."],
    ["9900-01-02", "not move the clock past 9900-01-01T00:00:00Z"],
  ])("refuses %s at the field", async (text, message) => {
    const { page, emulator } = await openDashboard();
    await open(page);
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    await popover(page).getByRole("alert").getByText(message).waitFor();
    const described = await page.getByLabel(/^A duration, or a date/).getAttribute("aria-describedby");
    await expect.poll(() => page.locator(`[id="${described}"]`).textContent()).toContain(message);
    expect(emulator.clock.now()).toBe(START);
  });

  test("of a real clock ticks", async () => {
    const { page } = await openDashboard({ emulator: { clock: "real" } });
    const clock = page.getByRole("group", { name: "Clock" }).locator("time");
    const first = await clock.textContent();
    await expect.poll(() => clock.textContent()).not.toBe(first);
  });
});
