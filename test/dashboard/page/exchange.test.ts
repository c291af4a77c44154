import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LYRICS, openDashboard } from "./support/dashboard.js";

test("a request opens to its headers and bodies, with the key masked, and the address keeps it open", async () => {
  const { emulator, page, submit } = await openDashboard({ path: "/requests" });
  await submit(LYRICS);
  await page.getByRole("link", { name: "Open POST /api/v1/task" }).click();
  const exchange = page.getByRole("region", { name: "Request" });
  await exchange.getByText('"a lighthouse"').first().waitFor();
  await page.reload();
  await exchange.getByLabel("Response body").getByText('"pending"').waitFor();
  await exchange
    .getByText(/headers?$/)
    .first()
    .click();
  await exchange.getByText(`****${emulator.apiKey.slice(-4)}`).waitFor();
  expect(await exchange.textContent()).not.toContain(emulator.apiKey);
  await exchange.getByText("119 requests left in the window").waitFor();
  await exchange.getByRole("button", { name: "Copy as test" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("client.tasks.create({");
  await exchange.getByRole("link", { name: "Close" }).click();
  await exchange.waitFor({ state: "detached" });
});

test("a copied test sends the key, and has the policy of the account", async () => {
  const { emulator, page, api } = await openDashboard({ path: "/requests" });
  emulator.changePolicy({ invalid_audio_format_status: 422 }, { accountId: emulator.accountId });
  await api("POST", "/task", { ...LYRICS, audio_format: "wav" });
  await api("GET", "/task/song");
  const copy = async (name: string) => {
    await page.getByRole("link", { name }).click();
    const exchange = page.getByRole("region", { name: "Request" });
    await exchange.getByRole("button", { name: "Copy as test" }).click();
    await exchange.getByText("Copied").waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    await exchange.getByRole("link", { name: "Close" }).click();
    await exchange.waitFor({ state: "detached" });
    return text;
  };
  expect(await copy("Open POST /api/v1/task")).toContain("policy: { invalid_audio_format_status: 422 }");
  expect(await copy("Open GET /api/v1/task/song")).toContain('"x-api-key": emulator.apiKey');
});

test("exports the shown requests as an HTTP archive", async () => {
  const { page, api, submit } = await openDashboard({ path: "/requests?q=method:POST" });
  await api("GET", "/account/balance");
  await submit(LYRICS);
  await page.getByText("1 request", { exact: true }).waitFor();
  const downloaded = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as HAR" }).click();
  const { log } = JSON.parse(readFileSync(await (await downloaded).path(), "utf8"));
  expect(log.entries).toMatchObject([{ request: { method: "POST" }, response: { status: 202 } }]);
});

test("a scrolled list stays in place while requests arrive, and findings never cover a row", async () => {
  const { page, api, submit } = await openDashboard({ path: "/requests" });
  for (let count = 0; count < 60; count++) await api("GET", "/account/balance");
  await page.getByText("60 requests", { exact: true }).waitFor();
  const list = page.getByRole("group", { name: "Requests" });
  await list.evaluate((element) => element.scrollTo(0, 720));
  const topOf = (row: string) =>
    page.locator(`[aria-rowindex="${row}"]`).evaluate((element) => {
      const list = element.closest('[role="group"]');
      return element.getBoundingClientRect().top - (list?.getBoundingClientRect().top ?? 0);
    });
  const before = await topOf("24");
  const taskId = await submit(LYRICS);
  for (let count = 0; count < 3; count++) await api("GET", `/task/${taskId}`);
  await page.getByText("64 requests", { exact: true }).waitFor();
  await expect.poll(async () => Math.abs((await topOf("28")) - before)).toBeLessThan(2);
  await list.evaluate((element) => element.scrollTo(0, 0));
  await page.getByText("polled_too_often").nth(1).waitFor();
  const rows = await page
    .locator('.rows [role="rowgroup"] [role="row"]')
    .evaluateAll((elements) =>
      elements.map((element) => element.getBoundingClientRect()).sort((one, other) => one.top - other.top),
    );
  for (const [index, { top }] of rows.entries())
    expect(top).toBeGreaterThanOrEqual((rows[index - 1]?.bottom ?? 0) - 1);
});

test("a request that the page sent is marked, and the audit ignores it", async () => {
  const { emulator, page, submit, goTo } = await openDashboard();
  const taskId = await submit(LYRICS);
  await goTo(`/tasks/${taskId}`);
  for (let count = 0; count < 2; count++) {
    await page.getByRole("button", { name: "Read now" }).click();
    await page.getByText("Read", { exact: true }).nth(count).waitFor();
  }
  await goTo("/requests?q=method:GET");
  await expect.poll(() => page.getByText("this dashboard").count()).toBe(2);
  expect(emulator.audit()).toEqual([]);
});
