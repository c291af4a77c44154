import { afterAll, describe, test } from "vitest";
import { closeBrowser, openDashboard } from "./support/dashboard.js";

afterAll(closeBrowser);

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "a lighthouse" } };

describe("the overview", () => {
  test("shows credits as a statement and a chart, which change with each task", async () => {
    const { page, api, emulator, submit } = await openDashboard();
    await page.getByText("The chart starts with the second change of credits.").waitFor();
    const taskId = await submit(LYRICS);
    await page.getByRole("row", { name: /Frozen for task .* −5 95 5/ }).waitFor();
    await page.locator(".chart canvas").waitFor();
    await emulator.clock.advance(60_000);
    await api("GET", `/task/${taskId}`);
    await page.getByRole("row", { name: /Settled for task .* 5 95 0/ }).waitFor();
    await page.getByRole("img", { name: /at last 95 available and 0 frozen/ }).waitFor();
    emulator.accounts.topUp(emulator.accountId, { usd: 1, method: "card" });
    await page.getByRole("row", { name: /Top-up \+100 195 0/ }).waitFor();
  });
});
