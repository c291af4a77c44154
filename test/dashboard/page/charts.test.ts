import { describe, expect, test } from "vitest";
import type { Page } from "../../../tools/browser/browser.js";
import { BALANCE, serviceOf } from "../../emulator/support/service.js";
import { LYRICS, openDashboard } from "./support/dashboard.js";

const LIMITS = { requests: 5, windowSeconds: 60 };

/** Opens the table below the chart, and waits for these rows. */
async function expectTable(page: Page, rows: readonly unknown[]): Promise<void> {
  await page.getByText("Show as a table").click();
  await expect.poll(() => page.locator("details.as-table tbody tr").evaluateAll(textsOf)).toEqual(rows);
}

function textsOf(rows: readonly Element[]): string[] {
  return rows.map((row) => [...row.children].map((cell) => cell.textContent).join(" "));
}

describe("the chart of the rate limit", () => {
  test("shows each window with its requests, the limit, and the requests refused with 429", async () => {
    const { page, api, emulator } = await openDashboard({
      path: "/requests?rate=1",
      emulator: { limits: LIMITS },
    });
    await page.getByText("The chart starts with the first request that a key sends.").waitFor();
    for (let count = 0; count < 7; count++) await api("GET", "/account/balance");
    await emulator.clock.advance(90_000);
    for (let count = 0; count < 3; count++) await api("GET", "/account/balance");
    await page.getByText("5 requests in a window of 60 s").waitFor();
    await page.getByRole("img", { name: /in 2 windows: at most 5 of 5, and 2 refused with 429/ }).waitFor();
    await page.locator(".rate canvas").waitFor();
    expect(await heightOf(page, "--bad")).toBeGreaterThan(2);
    await expectTable(page, ["2026-01-01 00:01:30.000 3 5 0", "2026-01-01 00:00:00.000 5 5 2"]);
  });

  test("is of the most used key, or of the key in the search", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/requests?rate=1" });
    const other = emulator.accounts.createKey(emulator.accountId);
    await serviceOf(emulator, { apiKey: other.api_key }).get(BALANCE);
    for (let count = 0; count < 2; count++) await api("GET", "/account/balance");
    await page.getByText(/\(the most used\)/).waitFor();
    await page.getByRole("img", { name: /at most 2 of 120/ }).waitFor();
    await page.getByLabel("Search").fill(`key:${other.key_id}`);
    await page
      .getByText(`key emu_…${other.api_key.slice(-4)}`)
      .last()
      .waitFor();
    await page.getByRole("img", { name: /at most 1 of 120/ }).waitFor();
  });

  test("is of the key with the most 429 responses, and reads the value at its latest request", async () => {
    const { page, api, emulator } = await openDashboard({
      path: "/requests?rate=1",
      emulator: { limits: LIMITS },
    });
    const other = emulator.accounts.createKey(emulator.accountId);
    const { get } = serviceOf(emulator, { apiKey: other.api_key });
    for (let count = 0; count < 7; count++) await get(BALANCE);
    for (let round = 0; round < 2; round++) {
      await emulator.clock.advance(60_000);
      for (let count = 0; count < 5; count++) await api("GET", "/account/balance");
    }
    await page.getByText(`key emu_…${other.api_key.slice(-4)} (the most 429 responses)`).waitFor();
    const legend = page.locator(".rate .u-legend");
    await expect
      .poll(async () => await legend.textContent())
      .toMatch(/00:00:00.*Used:?\s*5.*429:?\s*refused/);
  });

  test("shows the last windows, or all", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/requests?rate=1" });
    for (let count = 0; count < 3; count++) {
      await api("GET", "/account/balance");
      await emulator.clock.advance(3_600_000);
    }
    await page.getByRole("img", { name: /in 1 window:/ }).waitFor();
    await page.getByLabel("Range").selectOption("all");
    await page.getByRole("img", { name: /in 3 windows:/ }).waitFor();
    await page.reload();
    await page.getByRole("img", { name: /in 3 windows:/ }).waitFor();
  });

  test("is folded at first, so that the list has the space, and stays open over a reload", async () => {
    const { page, api } = await openDashboard({ path: "/requests" });
    await api("GET", "/account/balance");
    const chart = page.locator(".rate canvas");
    await page.getByRole("row", { name: /account\/balance/ }).waitFor();
    await expect.poll(() => chart.count()).toBe(0);
    await page.getByRole("heading", { name: "Rate limit" }).click();
    await chart.waitFor();
    await page.reload();
    await chart.waitFor();
  });

  test("agrees with the log after a long one has loaded", async () => {
    const { page } = await openDashboard({
      path: "/requests?rate=1&windows=all",
      emulator: { limits: { requests: 10, windowSeconds: 60 } },
      async prepare(emulator) {
        const { get } = serviceOf(emulator);
        for (let count = 0; count < 6000; count++) {
          await get(BALANCE);
          if (count % 20 === 19) await emulator.clock.advance(60_000);
        }
      },
    });
    await page.getByText("6,000 requests", { exact: true }).waitFor();
    await page.getByRole("img", { name: /in 300 windows: .* and 3,000 refused with 429/ }).waitFor();
  });
});

test("a chart whose library cannot be loaded is a sentence, and its table has the data", async () => {
  const { page, api, goTo } = await openDashboard();
  await api("GET", "/account/balance");
  await page.route(
    ({ pathname }) => pathname.includes("uPlot"),
    (route) => route.abort(),
  );
  await goTo("/requests?rate=1");
  await page.getByText("The chart could not be loaded.").waitFor({ timeout: 20_000 });
  await expectTable(page, ["2026-01-01 00:00:00.000 1 120 0"]);
});

describe("the chart of credits", () => {
  test("has a range, which stays after a reload", async () => {
    const { page, emulator } = await openDashboard({ path: "/account/statement" });
    for (let count = 0; count < 2; count++) {
      await emulator.clock.advance(2 * 3_600_000);
      emulator.accounts.topUp(emulator.accountId, { usd: 1, method: "card" });
    }
    await page.locator(".chart canvas").waitFor();
    await page.getByLabel("Range").selectOption("hour");
    await page.reload();
    await page.locator(".chart canvas").waitFor();
    await expect.poll(() => page.getByLabel("Range").inputValue()).toBe("hour");
    await expectTable(page, ["2026-01-01 04:00:00 300 0"]);
    await page.getByLabel("Range").selectOption("day");
    await page.locator("details.as-table tbody tr").nth(2).waitFor();
  });

  test("shows few frozen credits beside many available ones", async () => {
    const { page, emulator, submit } = await openDashboard({
      path: "/account/statement",
      emulator: { credits: 1_000_000 },
    });
    await emulator.clock.advance(60_000);
    await submit(LYRICS);
    await emulator.clock.advance(60_000);
    await page.getByRole("img", { name: /999,995 available and 5 frozen/ }).waitFor();
    await page.locator(".chart canvas").waitFor();
    await expect.poll(() => heightOf(page, "--warn")).toBeGreaterThan(30);
    expect(await heightOf(page, "--accent")).toBeGreaterThan(30);
  });
});

describe("the chart of all tasks", () => {
  const CHART = "/tasks?view=scale";

  /** Opens the chart with two tasks of 10 s: the first one is noticed after 50 s, the second one after 5 s. */
  async function openChart() {
    const dashboard = await openDashboard({
      path: CHART,
      prepare: ({ providers }) => providers.provider_a.always({ process_seconds: 10 }),
    });
    const { api, emulator, submit, page } = dashboard;
    const slow = await submit(LYRICS);
    await emulator.clock.advance(60_000);
    await api("GET", `/task/${slow}`);
    await emulator.clock.advance(40_000);
    const quick = await submit(LYRICS);
    await emulator.clock.advance(5_000);
    await api("GET", `/task/${quick}`);
    await emulator.clock.advance(10_000);
    await api("GET", `/task/${quick}`);
    await page.getByRole("img").nth(1).waitFor();
    await page
      .getByRole("row", { name: /success/ })
      .nth(1)
      .waitFor();
    return dashboard;
  }

  test("has the sum of the waits for a read as its headline, and can be sorted by them", async () => {
    const { page } = await openChart();
    await page.getByRole("heading", { name: "Tasks that had ended waited 55 seconds for a read" }).waitFor();
    const waits = () => page.locator(".rows.gantt .body .row > :nth-child(3)").allTextContents();
    expect(await waits()).toEqual(["5 seconds", "50 seconds"]);
    await page.getByLabel("Sort").selectOption("wait");
    await expect.poll(waits).toEqual(["50 seconds", "5 seconds"]);
    await page.reload();
    await expect.poll(waits).toEqual(["50 seconds", "5 seconds"]);
  });

  test("draws each read as a tick, and round times on its axis", async () => {
    const { page } = await openChart();
    const bar = page.getByRole("img", { name: "10 seconds running, 5 seconds ended" });
    await expect.poll(() => bar.locator(".read").getAttribute("d")).toMatch(/^M91\.3\d+ 18V27M100 18V27$/);
    await expect
      .poll(() => page.locator(".time-axis time").allTextContents())
      .toEqual(["01-01", "00:00:15", "00:00:30", "00:00:45", "00:01:00", "00:01:15", "00:01:30", "00:01:45"]);
  });

  test("has a brush that zooms in, which stays after a reload and can be reset", async () => {
    const { page } = await openChart();
    const box = await page.locator(".time-axis").boundingBox();
    if (box === null) throw new Error("The chart has no axis");
    const bars = page.locator(".gantt-bar");
    await page.mouse.click(box.x + 0.7 * box.width, box.y + 10);
    await expect.poll(() => bars.count()).toBe(2);
    await expect.poll(() => page.getByRole("button", { name: "Reset the zoom" }).count()).toBe(0);
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 10, { steps: 3 });
    await page.locator(".brush").waitFor();
    await page.mouse.up();
    // The tasks take 115 s.
    const shown = page.getByText(/00:01:(08|09) to .*00:01:(43|44)/);
    await shown.waitFor();
    await expect.poll(() => bars.count()).toBe(1);
    await page.reload();
    await shown.waitFor();
    await page.getByRole("button", { name: "Reset the zoom" }).click();
    await expect.poll(() => bars.count()).toBe(2);
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 10, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => bars.count()).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(() => bars.count()).toBe(2);
  });

  test("zooms with the keyboard, and Escape shows the whole range again", async () => {
    const { page } = await openChart();
    const bars = page.locator(".gantt-bar");
    const start = page.getByRole("slider", { name: "Start of the chart" });
    await start.focus();
    for (let times = 0; times < 8; times++) await page.keyboard.press("PageUp");
    await expect.poll(() => bars.count()).toBe(1);
    await page.getByText(/00:01:\d\d to .*00:01:55/).waitFor();
    await expect.poll(() => start.getAttribute("aria-valuetext")).toMatch(/ 00:01:\d\d$/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Reset the zoom" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => bars.count()).toBe(2);
    expect(await page.getByRole("slider", { name: "End of the chart" }).evaluate(isFocused)).toBe(true);
  });

  test("opens on the last fifty tasks, and can show all", async () => {
    const { page, submit } = await openDashboard({ path: "/tasks", emulator: { credits: 1000 } });
    await page.getByLabel("Draw to scale").check();
    for (let count = 0; count < 52; count++) await submit(LYRICS);
    const rows = page.getByRole("table", { name: "Gantt" });
    await page.getByText("52 tasks", { exact: true }).waitFor();
    await expect.poll(() => rows.getAttribute("aria-rowcount")).toBe("51");
    await page.getByLabel("Show").selectOption("all");
    await expect.poll(() => rows.getAttribute("aria-rowcount")).toBe("53");
  });

  test("is a table whose rows say in words what the bars show", async () => {
    const { page } = await openChart();
    const unnoticed = "ended, but no read had discovered it";
    await page
      .getByRole("row", { name: `5 seconds 10 seconds running, 5 seconds ${unnoticed}, 2 reads` })
      .waitFor();
    await page
      .getByRole("row", { name: `50 seconds 10 seconds running, 50 seconds ${unnoticed}, 1 read` })
      .waitFor();
  });
});

describe("a card", () => {
  test("links to the list of what it counts", async () => {
    const { page, api, emulator, submit, goTo } = await openDashboard();
    const done = await submit(LYRICS);
    await emulator.clock.advance(600_000);
    await api("GET", `/task/${done}`);
    await submit(LYRICS);
    await submit(LYRICS);
    for (const [card, tasks] of [
      ["Frozen", "2 tasks"],
      ["Settled", "1 task"],
      ["Tasks", "3 tasks"],
    ] as const) {
      await goTo("/account/statement");
      await page.locator(".figures").getByRole("link", { name: card }).click();
      await page.getByText(tasks, { exact: true }).waitFor();
    }
  });
});

/** How many pixels a color spans vertically in the chart. */
function heightOf(page: Page, name: string): Promise<number> {
  return page.locator(".chart canvas").evaluate((element, property) => {
    const canvas = element as HTMLCanvasElement;
    canvas.style.color = `var(${property})`;
    const { color } = getComputedStyle(canvas);
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number);
    const { data, width } = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(
      0,
      0,
      canvas.width,
      canvas.height,
    );
    const rows = [];
    for (let index = 0; index < data.length; index += 4)
      if (data[index] === red && data[index + 1] === green && data[index + 2] === blue)
        rows.push(Math.floor(index / 4 / width));
    return rows.length === 0 ? 0 : Math.max(...rows) - Math.min(...rows);
  }, name);
}

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}
