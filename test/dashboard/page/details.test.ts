import { expect, test } from "vitest";
import { LYRICS, openDashboard } from "./support/dashboard.js";

const NARROW = { viewport: { width: 390, height: 844 } };

test("until the first data is there, views say that they load, and do not jump when it comes", async () => {
  const { page, submit, goTo } = await openDashboard();
  await submit(LYRICS);
  let release: (() => void)[] | null = null;
  await page.route(/_emulator\/(tasks|accounts)\//, async (route) => {
    await new Promise<void>((resolve) => (release === null ? resolve() : release.push(resolve)));
    await route.continue();
  });
  for (const [path, loading, shown] of [
    ["/account/statement", "Loading the chart…", "2 movements"],
    ["/tasks", "Loading the tasks…", "1 task"],
  ] as const) {
    release = [];
    await goTo(path);
    await page.reload();
    await page.getByText(loading).waitFor();
    await expect.poll(() => page.getByText(/No tasks yet|starts with the second/).count()).toBe(0);
    await page.evaluate(watchShifts);
    const held = release;
    release = null;
    for (const resolve of held) resolve();
    await page.getByText(shown, { exact: true }).waitFor();
    await page.getByText(loading).waitFor({ state: "detached" });
    expect(await page.evaluate(() => (globalThis as unknown as { shift: number }).shift)).toBeLessThan(0.05);
  }
});

/** Sums the layout shifts from now on (CLS). */
function watchShifts(): void {
  const total = globalThis as unknown as { shift: number };
  total.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) total.shift += (entry as unknown as { value: number }).value;
  }).observe({ type: "layout-shift" });
}

test("a message that the emulator can't be reached goes once it is back", async () => {
  const { page, server, serveAgain } = await openDashboard({ path: "/account/keys" });
  await server.close();
  await page.getByRole("button", { name: "Create a key" }).click();
  const message = page.getByRole("alert").getByText("can't be reached");
  await message.waitFor();
  await serveAgain();
  await message.waitFor({ state: "detached" });
  await page.getByText("The emulator can't be reached.").waitFor({ state: "hidden" });
});

test("a new key stays until it is confirmed, also while other views are open", async () => {
  const { page } = await openDashboard({ path: "/account/keys" });
  await page.getByRole("button", { name: "Create a key" }).click();
  const key = await page.getByLabel("The new key").getByText(/^emu_/).textContent();
  await page.getByRole("link", { name: "Tasks" }).click();
  await page.getByText("No tasks yet.").waitFor();
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await expect.poll(() => page.getByLabel("The new key").getByText(/^emu_/).textContent()).toBe(key);
  const asked = page.waitForEvent("dialog");
  await Promise.all([
    page.reload({ timeout: 5000 }).catch(() => {}),
    asked.then((dialog) => dialog.dismiss()),
  ]);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByLabel("The new key").waitFor({ state: "detached" });
});

test("on a narrow screen, no copy button covers its code, and payments are complete", async () => {
  const { emulator, page, goTo } = await openDashboard({ path: "/tasks/new", context: NARROW });
  const figures = await page.locator("figure.code").evaluateAll((all) =>
    all.map((figure) => {
      const [code, button] = [figure.querySelector("code"), figure.querySelector("button")];
      return [button?.getBoundingClientRect().bottom ?? 0, code?.getBoundingClientRect().top ?? 0];
    }),
  );
  expect(figures.length).toBe(2);
  for (const [bottom = 0, top = 0] of figures) expect(bottom).toBeLessThanOrEqual(top);
  emulator.accounts.topUp(emulator.accountId, { usd: 12.5, method: "card" });
  await goTo("/account");
  await page.getByRole("button", { name: /\.pdf$/ }).waitFor();
  for (const cell of [
    page.getByText("completed", { exact: true }),
    page.getByText("$12.50"),
    page.getByRole("button", { name: /\.pdf$/ }),
  ]) {
    const box = await cell.boundingBox();
    expect((box?.x ?? 400) + (box?.width ?? 0)).toBeLessThan(390);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("the chart has space for the labels of millions of credits", async () => {
  const { emulator, page } = await openDashboard({
    emulator: { credits: 12_000_000 },
    path: "/account/statement",
  });
  await emulator.clock.advance(60_000);
  emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card" });
  const axis = page.locator(".chart .u-axis").nth(1);
  await axis.waitFor({ state: "attached" });
  expect(await axis.evaluate((element) => element.getBoundingClientRect().width)).toBeGreaterThan(90);
});

test("the page of a missing task has a heading, and leads back", async () => {
  const { page } = await openDashboard({ path: "/tasks/00000000-0000-4000-8000-000000000000" });
  await page.getByRole("heading", { level: 1, name: "Task not found" }).waitFor();
  await page.getByRole("navigation", { name: "Path" }).getByRole("link", { name: "Tasks" }).click();
  await page.getByText("No tasks yet.").waitFor();
});

test("a time carries its day, also on a narrow screen", async () => {
  const { emulator, page, api } = await openDashboard({ path: "/requests", context: NARROW });
  await api("GET", "/account/balance");
  await emulator.clock.advance(86_400_000);
  await api("GET", "/account/balance");
  for (const day of ["2026-01-01", "2026-01-02"]) await page.locator(".rows").getByText(day).waitFor();
});

test("a list that was loaded is not emptied while the page connects", async () => {
  const { page, submit, goTo } = await openDashboard({ emulator: { credits: 1000 } });
  for (let count = 0; count < 20; count++) await submit(LYRICS);
  await page.addInitScript(() => {
    const look = () => {
      if (document.body?.textContent?.includes("No tasks yet")) Object.assign(globalThis, { wasEmpty: true });
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
  });
  for (let load = 0; load < 3; load++) {
    await page.goto("about:blank");
    await goTo("/tasks");
    await page.getByText("20 tasks", { exact: true }).waitFor();
    await page.waitForTimeout(1500);
    expect(await page.evaluate(() => Object.hasOwn(globalThis, "wasEmpty"))).toBe(false);
  }
});

test("requests name the key as the account does, and tasks are found by style, clip and error code", async () => {
  const { emulator, page, submit, api, goTo } = await openDashboard({ path: "/requests" });
  const [key] = emulator.accounts.get(emulator.accountId).keys;
  emulator.accounts.updateKey(emulator.accountId, key?.key_id ?? "", { name: "batch job" });
  emulator.accounts.createKey(emulator.accountId);
  emulator.providers.provider_a.next({ polls: 1 });
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation", polls: 1 });
  const song = { model: "provider_a", task_type: "music", input: { tags: "polka", title: "Tuba" } };
  const taskId = await submit(song);
  const { data } = await (await api("GET", `/task/${taskId}`)).json();
  await api("GET", `/task/${await submit(LYRICS)}`);
  await page.getByText("4 requests", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open POST /api/v1/task" }).first().click();
  await page
    .getByRole("region", { name: "Request" })
    .getByText(`batch job (…${emulator.apiKey.slice(-4)})`)
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: "Request" }).waitFor({ state: "detached" });
  await goTo("/tasks");
  // The log of requests has a search, too.
  await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
  for (const words of ["polka", data.output.result[0].id, "content_moderation"]) {
    await page.getByLabel("Search").fill(words);
    await page.getByText("1 task", { exact: true }).waitFor();
  }
});

test("payments have a status filter and a page, which stay after a reload", async () => {
  const { emulator, page } = await openDashboard({ path: "/account" });
  for (let count = 0; count < 24; count++)
    emulator.accounts.topUp(emulator.accountId, {
      usd: 1,
      method: "crypto",
      outcome: count % 2 ? "pending" : "completed",
    });
  const payments = page.getByRole("region", { name: "Payments and invoices" });
  await payments.getByLabel("State").selectOption("pending");
  await payments.getByText("1 to 10 of 12").waitFor();
  await payments.getByRole("button", { name: "Next" }).click();
  await page.reload();
  await payments.getByText("11 to 12 of 12").waitFor();
  await expect.poll(() => payments.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
  await expect.poll(() => payments.getByRole("button", { name: "Refuse" }).count()).toBe(2);
  await payments.getByLabel("State").selectOption("refused");
  await payments.getByText("No payment matches this filter.").waitFor();
});

test("nothing in a list is cut off: badges, paths, key names and buttons", async () => {
  const { emulator, page, api, submit, goTo } = await openDashboard();
  emulator.accounts.topUp(emulator.accountId, { usd: 1, method: "crypto", outcome: "pending" });
  const [key] = emulator.accounts.get(emulator.accountId).keys;
  const name = "nightly batch for the music team";
  emulator.accounts.updateKey(emulator.accountId, key?.key_id ?? "", { name });
  await api("GET", `/task/${await submit(LYRICS)}`);
  emulator.faults.add({ fault: { kind: "disconnect", when: "before" } });
  await api("GET", "/account/balance").catch(() => {});
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await goTo("/account");
    await page.getByRole("button", { name: "Refuse" }).waitFor();
    expect(await page.locator(".scroll").evaluateAll(overflowOf)).toEqual([0]);
    await goTo("/account/keys");
    await page.getByText(name).waitFor();
    expect(await page.locator(".scroll, td").evaluateAll(overflowOf)).toEqual(Array(7).fill(0));
    await goTo("/requests");
    const badge = page.getByRole("cell", { name: "no response", exact: true });
    await badge.waitFor();
    expect(await badge.evaluateAll(overflowOf)).toEqual([0]);
  }
  emulator.faults.clear();
  const late = await submit(LYRICS);
  await emulator.clock.advance(59 * 60_000 + 59_000);
  await api("GET", `/task/${late}`);
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 844 });
    await goTo("/tasks?view=scale");
    const waited = page.getByRole("cell", { name: /^\d\d minutes \d+ seconds$/ });
    await waited.first().waitFor();
    expect(await waited.first().evaluateAll(overflowOf)).toEqual([0]);
  }
  await page.setViewportSize({ width: 1024, height: 844 });
  await goTo("/requests?open=2");
  const path = page.getByRole("row", { name: /GET.*\/task\// }).getByRole("cell");
  await page.locator(".split .exchange").waitFor();
  expect(await path.nth(2).evaluateAll(overflowOf)).toEqual([0]);
});

test("no button of a table breaks within its word", async () => {
  const { page } = await openDashboard({ path: "/account/accounts", emulator: { credits: 1090 } });
  await page.setViewportSize({ width: 800, height: 844 });
  const button = page.getByRole("cell").getByRole("button", { name: /^Suspend/ });
  await button.waitFor();
  const lines = await button.evaluate((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    return text.getClientRects().length;
  });
  expect(lines).toBe(1);
});

function overflowOf(all: readonly Element[]): number[] {
  return all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
}
