import { describe, expect, test } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import { BALANCE, serviceOf } from "../../emulator/support/service.js";
import { LYRICS, openDashboard } from "./support/dashboard.js";

const UNKNOWN = "/task/00000000-0000-4000-8000-000000000000";

describe("the request log", () => {
  test("shows each new request first, with a link to its task", async () => {
    const { page, api } = await openDashboard({ path: "/requests" });
    await page.getByText("No requests yet.").waitFor();
    await api("GET", "/account/balance");
    await page.getByRole("row", { name: /GET \/account\/balance 200/ }).waitFor();
    await api("GET", UNKNOWN);
    await page.getByRole("row", { name: /404 task_not_found/ }).waitFor();
    const rows = page.locator('.rows [role="rowgroup"] [role="row"]');
    await expect.poll(() => rows.first().textContent()).toContain("404");
    await expect.poll(() => rows.nth(1).textContent()).toContain("200");
    await page.getByRole("link", { name: "00000000", exact: true }).click();
    await page.getByText("Task not found").waitFor();
  });

  test("shows the emulator's log after the stream has opened again", async () => {
    const { page, api, server, serveAgain } = await openDashboard({ path: "/requests" });
    await api("GET", "/account/balance");
    await api("GET", "/account/usage");
    await page.getByText("2 requests", { exact: true }).waitFor();
    const opened = page.waitForRequest((request) => request.url().endsWith("/exchanges/stream"));
    await server.close();
    const again = await serveAgain();
    await opened;
    await fetch(`${again.url}/api/v1/account/balance`);
    await page.getByRole("row", { name: /missing_api_key/ }).waitFor();
    await page.getByText("3 requests", { exact: true }).waitFor();
    await again.close();
    await serveAgain({ credits: 5 });
    await page.getByText("No requests yet.").waitFor();
  });

  test("is not followed while the page is hidden, and is complete when it is shown again", async () => {
    const { page, api } = await openDashboard({ path: "/requests" });
    await api("GET", "/account/balance");
    await page.getByText("1 request", { exact: true }).waitFor();
    const show = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, isHidden);
    const ended = page.waitForEvent("requestfailed", (request) =>
      request.url().endsWith("/exchanges/stream"),
    );
    await show(true);
    await ended;
    await api("GET", "/account/usage");
    await show(false);
    await page.getByText("2 requests", { exact: true }).waitFor();
    await api("GET", "/account/balance");
    await page.getByText("3 requests", { exact: true }).waitFor();
  });

  test("shows a finding of the audit in the row of the request that caused it", async () => {
    const { page, api, submit } = await openDashboard({ path: "/requests" });
    const taskId = await submit(LYRICS);
    await api("GET", `/task/${taskId}`);
    await api("GET", `/task/${taskId}`);
    const broken = page.locator('[role="row"]', { has: page.locator(".finding") });
    await broken.getByText("polled_too_often").waitFor();
    await expect.poll(() => broken.count()).toBe(1);
    await expect.poll(() => broken.getAttribute("aria-rowindex")).toBe("2");
    await page.getByLabel("Search").fill("rule:polled_too_often");
    await page.getByText("1 request", { exact: true }).waitFor();
  });

  test("has columns for duration, task and key, of which task and key are links", async () => {
    const { page, emulator, submit } = await openDashboard({ path: "/requests" });
    const taskId = await submit(LYRICS);
    const row = page.getByRole("row", { name: /POST/ });
    await row.getByText("0 ms").waitFor();
    const href = (name: string) => row.getByRole("link", { name, exact: true }).getAttribute("href");
    expect(await href(taskId.slice(0, 8))).toContain(`/tasks/${taskId}`);
    expect(await href(`emu_…${emulator.apiKey.slice(-4)}`)).toContain(emulator.accountId);
  });

  test("says why a request that came with a snapshot cannot be opened, and finds it by its task", async () => {
    const { page, api, emulator, submit, goTo } = await openDashboard({ path: "/requests" });
    const taskId = await submit(LYRICS);
    await api("GET", `/task/${taskId}`);
    emulator.restore(emulator.snapshot());
    await page.getByText("Requests that came with a snapshot can't be opened").waitFor();
    expect(await page.getByRole("link", { name: /Open (GET|POST)/ }).count()).toBe(0);
    expect(await page.locator(".rows .opens").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Export as HAR" }).isDisabled()).toBe(true);
    await goTo(`/tasks/${taskId}`);
    await page.getByRole("listitem").filter({ hasText: "Read 200" }).waitFor();
    await page.getByRole("link", { name: "Its requests" }).click();
    await page.getByText("1 request", { exact: true }).waitFor();
    await api("GET", "/account/balance");
    await goTo("/requests");
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.getByRole("group", { name: "Requests" }).focus();
    for (let pressed = 0; pressed < 3; pressed++) await page.keyboard.press("j");
    await page.getByRole("heading", { name: /^GET \/api\/v1\/account\/balance/ }).waitFor();
  });

  test("shows the new requests after a reset", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/requests" });
    for (const path of ["/account/balance", "/account/usage", UNKNOWN]) await api("GET", path);
    await page.getByText("3 requests", { exact: true }).waitFor();
    emulator.reset();
    await api("GET", "/account/balance");
    await page.getByText("1 request", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Open GET /api/v1/account/balance" }).waitFor();
  });
});

describe("the search", () => {
  test("completes tokens, shows whole ones as chips that can be removed, and keeps all in the address", async () => {
    const { page, api } = await openDashboard({ path: "/requests" });
    await api("GET", "/account/balance");
    await api("GET", UNKNOWN);
    await api("POST", "/task", {});
    await page.getByText("3 requests", { exact: true }).waitFor();
    const search = page.getByLabel("Search");
    const offered = await page
      .locator("datalist option")
      .evaluateAll((all) => all.map((each) => each.getAttribute("value")));
    expect(offered).toEqual(
      expect.arrayContaining(["status:404", "method:POST", "code:task_not_found", "body:"]),
    );
    await search.pressSequentially("status:4xx method:GET ");
    await page.getByText("1 request", { exact: true }).waitFor();
    await expect.poll(() => search.inputValue()).toBe("");
    await search.fill("no such words");
    await page.getByText("No request matches this search.").waitFor();
    await search.fill("NOT_FOUND");
    await page.reload();
    await page.getByText("1 request", { exact: true }).waitFor();
    await expect.poll(() => search.inputValue()).toBe("NOT_FOUND");
    await search.fill("");
    await page.getByRole("button", { name: "Remove method:GET" }).click();
    await page.getByText("2 requests", { exact: true }).waitFor();
    // The space after a token is no search: the next key removes the token before it.
    await search.press("Space");
    expect([await search.inputValue(), page.url()]).toEqual(["", expect.not.stringContaining("text=")]);
    await search.press("Backspace");
    await page.getByText("3 requests", { exact: true }).waitFor();
  });

  test("has the words of a link as chips, too", async () => {
    const { page, api } = await openDashboard({ path: "/requests?q=BALANCE" });
    await api("GET", "/account/balance");
    await api("GET", "/account/usage");
    await page.getByText("1 request", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove BALANCE" }).click();
    await page.getByText("2 requests", { exact: true }).waitFor();
  });

  test("finds words of a request body and of a response body, also of later requests", async () => {
    const { page, api, submit } = await openDashboard({ path: "/requests?q=body:Lighthouse" });
    await api("GET", "/account/balance");
    await submit(LYRICS);
    const taskId = await submit({ ...LYRICS, input: { prompt: "a LIGHTHOUSE in rain" } });
    await page.getByText("2 requests", { exact: true }).waitFor();
    await api("GET", `/task/${taskId}`);
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.getByLabel("Search").fill('body:"in rain"');
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove body:Lighthouse" }).click();
    await page.getByText("2 requests", { exact: true }).waitFor();
  });

  test("a drag over the histogram keeps the requests of that time", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/requests" });
    for (let minute = 0; minute < 10; minute++) {
      await api("GET", minute < 5 ? "/account/balance" : UNKNOWN);
      await emulator.clock.advance(60_000);
    }
    await page.getByRole("img", { name: /^10 requests from .*00:00:00 to .*00:09:00, by status/ }).waitFor();
    await page.getByRole("button", { name: "4xx: 5" }).waitFor();
    const box = await page.locator(".histogram svg").boundingBox();
    if (box === null) throw new Error("There is no histogram");
    const at = (part: number) => [box.x + part * box.width, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.6));
    await page.mouse.down();
    await page.mouse.move(...at(0.75));
    await page.mouse.move(...at(0.995));
    await page.mouse.up();
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Remove time:/ }).click();
    // A drag that has ended before the page was drawn again.
    await page.locator(".histogram svg").evaluate(
      (element, [from, to]) => {
        element.setPointerCapture = () => {};
        const send = (type: string, clientX: number) =>
          element.dispatchEvent(new PointerEvent(type, { clientX, bubbles: true }));
        send("pointerdown", from);
        send("pointermove", to);
        send("pointerup", to);
      },
      [at(0.6)[0], at(0.995)[0]] as const,
    );
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Remove time:/ }).click();
    await page.getByRole("button", { name: "4xx: 5" }).click();
    await page.getByText("5 requests", { exact: true }).waitFor();
  });
});

describe("the list", () => {
  test("fills the window, and its whole width at 1920 px", async () => {
    const viewport = { width: 1920, height: 1080 };
    const { page } = await openDashboard({ path: "/requests", context: { viewport }, prepare: fill(60) });
    const box = await page.getByRole("group", { name: "Requests" }).boundingBox();
    expect(box?.width).toBeGreaterThan(1860);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(1050);
    await expect.poll(() => page.locator(".rows .body .row").count()).toBeGreaterThan(25);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1080);
  });

  test("stays where it is under the pointer while requests arrive, and shows how many are newer", async () => {
    const { page, api } = await openDashboard({ path: "/requests", prepare: fill(60) });
    const row = page.getByRole("link", { name: /: Open GET .*balance/ }).nth(3);
    await row.hover();
    const before = await row.boundingBox();
    const time = page.locator(".rows .row:hover");
    const text = await time.textContent();
    for (let count = 0; count < 3; count++) await api("GET", UNKNOWN);
    await page.getByText("63 requests", { exact: true }).waitFor();
    await page.getByRole("button", { name: "↑ 3 newer" }).waitFor();
    expect(await time.textContent()).toBe(text);
    expect((await time.boundingBox())?.y).toBeCloseTo((before?.y ?? 0) - 5, -1);
    await page.getByRole("button", { name: "↑ 3 newer" }).click();
    await page
      .getByRole("row", { name: /task_not_found/ })
      .first()
      .waitFor();
  });

  test("keeps the focus on a row while a hundred requests arrive", async () => {
    const { page, api } = await openDashboard({ path: "/requests", prepare: fill(60) });
    const link = page.getByRole("link", { name: /: Open GET .*balance/ }).first();
    await link.focus();
    await Promise.all(Array.from({ length: 100 }, () => api("GET", UNKNOWN)));
    await page.getByText("160 requests", { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("balance");
    await expect.poll(() => page.locator(".rows").evaluate((each) => each.scrollTop)).toBe(3000);
  });

  test("shows a request of the address, and j and k open the rows beside it while the focus is there", async () => {
    const { page } = await openDashboard({ path: "/requests?open=5", prepare: fill(200) });
    const shown = page.locator(".rows .row.open");
    await expect.poll(() => shown.getAttribute("aria-rowindex")).toBe("197");
    await expect.poll(() => shown.isVisible()).toBe(true);
    const columns = await page.getByRole("columnheader").count();
    for (const outside of ["Tasks", "Export as HAR"]) {
      await page.getByText(outside, { exact: true }).focus();
      for (const key of ["j", "k", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    }
    await page.getByRole("group", { name: "Requests" }).focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => shown.getAttribute("aria-rowindex")).toBe("197");
    await page.getByRole("region", { name: "Request" }).getByRole("link", { name: "Close" }).focus();
    for (const [key, index] of [
      ["j", "198"],
      ["k", "197"],
      ["k", "196"],
      ["j", "197"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => shown.getAttribute("aria-rowindex")).toBe(index);
    }
    // Presses that come before the view was drawn again.
    await page.evaluate(() => {
      for (const key of ["j", "j", "k", "k"])
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    });
    await expect.poll(() => shown.getAttribute("aria-rowindex")).toBe("197");
    // Chromium moves a list over several frames.
    const settledTop = async () => {
      const tops: number[] = [];
      const look = async () => tops.unshift(await page.locator(".rows").evaluate((each) => each.scrollTop));
      await expect.poll(async () => (await look()) > 1 && tops[0] === tops[1], { interval: 200 }).toBe(true);
      return tops[0];
    };
    const top = await settledTop();
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("columnheader").count()).toBe(columns);
    expect(await settledTop()).toBe(top);
  });

  test.each(["Escape", "Close"])("gives the focus back to the row whose request %s closes", async (way) => {
    const { page, api } = await openDashboard({ path: "/requests" });
    for (const path of ["/account/balance", "/account/usage", UNKNOWN]) await api("GET", path);
    const link = page.getByRole("link", { name: "Open GET /api/v1/account/usage" });
    await link.press("Enter");
    const close = page.getByRole("region", { name: "Request" }).getByRole("link", { name: "Close" });
    await close.focus();
    await api("GET", "/account/balance");
    await page.getByText("4 requests", { exact: true }).waitFor();
    if (way === "Close") await close.press("Enter");
    else await page.keyboard.press("Escape");
    await close.waitFor({ state: "detached" });
    expect(await link.evaluate((each) => each === document.activeElement)).toBe(true);
  });

  test("has a pane whose width the keyboard and the pointer change, and that a reload keeps", async () => {
    const { page } = await openDashboard({ path: "/requests?open=1", prepare: fill(2) });
    const pane = page.getByRole("region", { name: "Request" });
    const widthOf = async () => (await pane.boundingBox())?.width ?? 0;
    const splitter = page.getByRole("separator", { name: "Width of the pane" });
    const first = await widthOf();
    await splitter.focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(widthOf).toBeGreaterThan(first + 20);
    const box = await splitter.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 4, 500);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 204, 500);
    await page.mouse.up();
    await expect.poll(widthOf).toBeLessThan(first - 50);
    const last = await widthOf();
    await page.reload();
    await expect.poll(widthOf).toBeCloseTo(last, -1);
  });

  test.each([
    [1024, ["Time (UTC)", "Method", "Path", "Status", "Findings"]],
    [1280, ["Time (UTC)", "Method", "Path", "Status", "Duration", "Task", "Key", "Findings"]],
  ])("has only columns that fit beside an open request at %i px", async (width, columns) => {
    const { page, api, submit, goTo } = await openDashboard({
      context: { viewport: { width, height: 720 } },
    });
    const taskId = await submit(LYRICS);
    for (let read = 0; read < 2; read++) await api("GET", `/task/${taskId}`);
    await goTo("/requests?open=3");
    await page.locator("a.finding").waitFor();
    await page.getByRole("link", { name: "Compare with…" }).waitFor();
    expect(await page.getByRole("columnheader").allTextContents()).toEqual(columns);
    const isCut = (element: Element) => element.scrollWidth > element.clientWidth;
    expect(await page.locator(".rows").evaluate(isCut)).toBe(false);
    const finding = page.getByRole("cell", { name: "polled_too_often" });
    if (width < 1280) expect(await finding.evaluate(isCut)).toBe(false);
    expect(await page.getByRole("region", { name: "Request" }).evaluate(isCut)).toBe(false);
  });

  test.each([390, 1280])("compares two requests, and marks what differs, at %i px", async (width) => {
    const context = { viewport: { width, height: 844 } };
    const { page, api, submit } = await openDashboard({ path: "/requests", context });
    await submit(LYRICS);
    await submit({ ...LYRICS, input: { prompt: "another one" } });
    await api("GET", "/account/balance");
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page
      .getByRole("link", { name: /Open POST/ })
      .first()
      .click();
    await page.getByRole("link", { name: "Compare with…" }).click();
    await page.getByText("Choose the request to compare request 2 with.").waitFor();
    await page
      .getByRole("link", { name: /Open POST/ })
      .last()
      .click();
    const table = page.getByRole("region", { name: "Comparison" });
    const prompt = table.getByRole("row", { name: /^request body\.input\.prompt/ });
    await expect
      .poll(() => prompt.locator("mark").allTextContents())
      .toEqual(["another one", "a lighthouse"]);
    await expect.poll(() => table.getByRole("row", { name: /^path/ }).count()).toBe(0);
    await table.getByLabel(/^Also what is equal/).check();
    await expect.poll(() => table.getByRole("row", { name: /^path/ }).locator("mark").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: /^POST \/api\/v1\/task/ }).waitFor();
  });
});

function fill(count: number) {
  return async (emulator: Emulator) => {
    for (let sent = 0; sent < count; sent++) {
      await serviceOf(emulator).get(BALANCE);
      await emulator.clock.advance(1000);
    }
  };
}
