import { afterAll, describe, expect, test } from "vitest";
import { closeBrowser, openDashboard } from "./support/dashboard.js";

afterAll(closeBrowser);

const UNKNOWN = "/task/00000000-0000-4000-8000-000000000000";

describe("the request log", () => {
  test("shows each new request first, with a link to its task", async () => {
    const { page, api } = await openDashboard({ path: "/requests" });
    await page.getByText("No requests yet.").waitFor();
    await api("GET", "/account/balance");
    await page.getByRole("row", { name: /GET \/api\/v1\/account\/balance 200/ }).waitFor();
    await api("GET", UNKNOWN);
    await page.getByRole("row", { name: /404 task_not_found/ }).waitFor();
    const rows = page.locator('.rows [role="rowgroup"] [role="row"]');
    expect(await rows.first().textContent()).toContain("404");
    expect(await rows.nth(1).textContent()).toContain("200");
    await page.getByRole("link", { name: "00000000…" }).click();
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

  test("shows a value of a filter that it does not know, and that no request matches it", async () => {
    const { page, api } = await openDashboard({ path: "/requests?status=7xx" });
    await api("GET", "/account/balance");
    await page.getByText("No request matches these filters.").waitFor();
    const status = page.getByLabel("Status", { exact: true });
    expect(await status.inputValue()).toBe("7xx");
    await status.selectOption("");
    await page.getByText("1 request", { exact: true }).waitFor();
    expect(await status.locator("option").allTextContents()).not.toContain("7xx");
  });

  test("shows a finding of the audit beside the request that caused it", async () => {
    const { page, api, submit } = await openDashboard({ path: "/requests" });
    const taskId = await submit({ model: "provider_a", task_type: "lyrics", input: { prompt: "x" } });
    await api("GET", `/task/${taskId}`);
    await api("GET", `/task/${taskId}`);
    const broken = page.locator('[role="row"]', { has: page.locator(".finding") });
    await broken.getByText("polled_too_often").waitFor();
    expect(await broken.count()).toBe(1);
    expect(await broken.getAttribute("aria-rowindex")).toBe("2");
    await page.getByLabel(/Only with findings \(1\)/).check();
    await page.getByText("1 request", { exact: true }).waitFor();
  });

  test("filters by words, method and status, and keeps them after a reload", async () => {
    const { page, api } = await openDashboard({ path: "/requests" });
    await api("GET", "/account/balance");
    await api("GET", UNKNOWN);
    await api("POST", "/task", {});
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.getByLabel("Status").selectOption("4");
    await page.getByText("2 requests", { exact: true }).waitFor();
    await page.getByLabel("Method").selectOption("GET");
    await page.getByText("1 request", { exact: true }).waitFor();
    await page.getByLabel("Search").fill("no such words");
    await page.getByText("No request matches these filters.").waitFor();
    await page.getByLabel("Search").fill("NOT_FOUND");
    await page.reload();
    await page.getByText("1 request", { exact: true }).waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("NOT_FOUND");
    expect(await page.getByLabel("Status").inputValue()).toBe("4");
  });

  test("stops while it is paused, and counts the new requests", async () => {
    const { page, api } = await openDashboard({ path: "/requests" });
    await api("GET", "/account/balance");
    await page.getByText("1 request", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await api("GET", "/account/usage");
    await page.getByRole("button", { name: "Resume (1 new)" }).click();
    await page.getByText("2 requests", { exact: true }).waitFor();
  });

  test("shows the new requests after a reset, also if it was paused", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/requests" });
    for (const path of ["/account/balance", "/account/usage", UNKNOWN]) await api("GET", path);
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.evaluate(() => {
      const button = document.querySelector(".heading button");
      const shown: (string | null)[] = [];
      Object.assign(globalThis, { shown });
      const observer = new MutationObserver(() => shown.push(button?.textContent ?? null));
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    emulator.reset();
    await api("GET", "/account/balance");
    await page.getByText("1 request", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    const shown = await page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    expect(shown.filter((text) => text.includes("-"))).toEqual([]);
    await page.getByRole("link", { name: "Open GET /api/v1/account/balance" }).waitFor();
  });
});
