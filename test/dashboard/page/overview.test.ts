import { describe, expect, test } from "vitest";
import { held } from "../../support/collect.js";
import { SONG_REQUEST } from "../../support/responses.js";
import { LYRICS, openDashboard } from "./support/dashboard.js";

const FAILED = { ...SONG_REQUEST, status: "failure", error_code: "content_moderation" } as const;

describe("the overview", () => {
  test("begins with how to connect a program, until the first request", async () => {
    const { page, api } = await openDashboard();
    const headings = () => page.locator("main :is(h1, h2)").allTextContents();
    await page.getByRole("heading", { name: "Connect your program" }).waitFor();
    expect(await headings()).toEqual(["What happened", "Connect your program"]);
    await api("GET", "/account/balance");
    await expect.poll(headings).toEqual(["What happened", "Latest problems", "Connect your program"]);
    await page.getByText("No request failed, and no rule").waitFor();
  });

  test("names the other accounts in which something went wrong, and leads to their problems", async () => {
    const { page, emulator, server } = await openDashboard();
    const headings = () => page.locator("main :is(h1, h2)").allTextContents();
    const poor = emulator.accounts.create({ credits: 1 });
    const slow = emulator.accounts.create({ credits: 50 });
    const send = (method: string, key: string, path: string, body?: unknown) =>
      fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: { "x-api-key": key, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    for (let sent = 0; sent < 3; sent++) await send("POST", poor.api_key, "/task", SONG_REQUEST);
    emulator.providers.provider_a.next({ outcome: "failure", polls: 2 });
    const { data } = await (await send("POST", slow.api_key, "/task", LYRICS)).json();
    await send("GET", slow.api_key, `/task/${data.task_id}`);
    await send("GET", slow.api_key, `/task/${data.task_id}`);
    await page.getByText("Other accounts: 3 problems of account 2, 2 problems of account 3").waitFor();
    expect(await headings()).toEqual(["What happened", "Latest problems", "Connect your program"]);
    await page.getByRole("link", { name: "3 problems of account 2" }).click();
    await page.getByText("3 × POST /task → 402 insufficient_credits").waitFor();
    await page.getByText("Other accounts: 2 problems of account 3").waitFor();
  });

  test("shows the failed tasks of a seed file below how to connect a program", async () => {
    const { page, emulator, goTo } = await openDashboard({
      emulator: {
        credits: undefined,
        seedFile: {
          accounts: [{ tasks: [FAILED] }, {}],
        },
      },
    });
    await page.getByText("failure content_moderation").waitFor();
    const headings = page.locator("main :is(h1, h2)");
    const expected = ["What happened", "Connect your program", "Latest problems"];
    expect(await headings.allTextContents()).toEqual(expected);
    await goTo(`/?account=${emulator.state().accounts[1]?.account_id}`);
    await page.getByText("Other accounts: 1 problem of account 1").waitFor();
    expect(await headings.allTextContents()).toEqual(expected);
  });

  test("copies no key that is not one", async () => {
    const { page, server } = await openDashboard();
    await page.getByRole("button", { name: "Copy" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `export ASYNC_MUSIC_BASE_URL=${server.url}`,
    );
  });

  test("lists a burst of equal problems once, with their number, and leads to all of them", async () => {
    const { page, api, emulator } = await openDashboard({ emulator: { credits: 0 } });
    await api("POST", "/task", SONG_REQUEST);
    await emulator.clock.advance(1000);
    emulator.faults.add({ times: 12, fault: { kind: "status", status: 429, when: "before" } });
    // Each request but the first is a finding, too.
    for (let sent = 0; sent < 12; sent++) await api("GET", "/account/balance");
    const lines = page.locator(".problems li");
    await expect.poll(() => lines.count()).toBe(3);
    const texts = (await lines.allTextContents()).join("\n");
    expect(texts).toMatch(/12 × GET \/account\/balance → 429 rate_limited/);
    expect(texts).toMatch(/11 × ignored_retry_after/);
    expect(texts).toMatch(/ POST \/task → 402 insufficient_credits/);
    expect(await lines.locator("code").allTextContents()).toContain("Retry-After");
    await page.getByRole("link", { name: "All failed requests and 429" }).click();
    await page.getByText("13 requests", { exact: true }).waitFor();
  });

  test("states no number as final before it is", async () => {
    const { page, api } = await openDashboard();
    await api("GET", "/account/balance");
    const { given, give } = held<void>();
    await page.route(/_emulator\/(audit|exchanges\/before)/, async (route) =>
      given.then(() => route.continue()),
    );
    await page.reload();
    await expect.poll(() => page.getByText("loading…").count()).toBe(5);
    expect(await page.getByText("rule").count()).toBe(0);
    give();
    await page.getByText("No request failed, and no rule").waitFor();
    expect(await page.getByText("loading…").count()).toBe(0);
  });

  test("counts what went wrong, and leads to the requests and tasks that it counts", async () => {
    const { page, api, emulator, submit, goTo } = await openDashboard({ emulator: { credits: 21 } });
    emulator.providers.provider_a.next({ outcome: "failure", polls: 1 });
    const failed = await submit(SONG_REQUEST);
    await api("GET", `/task/${failed}`);
    await submit(SONG_REQUEST);
    const open = await submit(LYRICS);
    await api("POST", "/task", SONG_REQUEST);
    await api("GET", `/task/${open}`);
    await api("GET", `/task/${open}`);
    emulator.faults.add({ fault: { kind: "status", status: 429, when: "before" } });
    await api("GET", "/account/balance");
    emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
    await api("GET", "/account/usage").catch(() => {});
    for (const [name, value, note, list] of [
      ["Failed requests", "2", "of 9 requests", "2 requests"],
      ["429", "1", "1 of them by faults", "1 request"],
      ["Findings", "1", "polled_too_often: 1", "1 request"],
      ["Failed tasks", "1", "of 3 tasks", "1 task"],
      ["Unfinished tasks", "2", "15 credits frozen", "2 tasks"],
    ] as const) {
      await goTo("/");
      const card = page
        .locator(".figures > div")
        .filter({ has: page.getByRole("link", { name, exact: true }) });
      await card.getByText(note).waitFor();
      await expect.poll(() => card.locator("strong").textContent()).toBe(value);
      await card.getByRole("link").click();
      await page.getByText(list, { exact: true }).waitFor();
    }
  });

  test("of one of several accounts counts its downloads and cut responses, and names requests without a valid key", async () => {
    const { page, emulator, server, submit, api, goTo } = await openDashboard();
    emulator.accounts.create({ credits: 1 });
    const taskId = await submit(SONG_REQUEST);
    await emulator.clock.advance(900_000);
    const { data } = await (await api("GET", `/task/${taskId}`)).json();
    await emulator.clock.advance(8 * 86_400_000);
    expect((await fetch(data.output.result[0].audio_url)).status).toBe(404);
    emulator.faults.add({ fault: { kind: "malformed" } });
    await (await api("GET", "/account/balance")).text();
    emulator.faults.add({ fault: { kind: "status", status: 303, when: "before" } });
    await api("GET", "/account/usage");
    await fetch(`${server.url}/api/v1/account/usage`, { headers: { "x-api-key": "emu_wrong" } });
    await goTo("/");
    const card = page.locator(".figures > div").filter({ hasText: "Failed requests" });
    await expect.poll(() => card.locator("strong").textContent()).toBe("3");
    await card.getByText("of 5 requests").waitFor();
    await page.getByText("1 request without a valid API key").click();
    await page.getByText("1 request", { exact: true }).waitFor();
  });

  test("does not state the causes that a snapshot has lost", async () => {
    const { page, api, emulator } = await openDashboard();
    emulator.faults.add({ times: 2, fault: { kind: "status", status: 429, when: "before" } });
    for (let sent = 0; sent < 2; sent++) await api("GET", "/account/balance");
    await page.getByText("2 of them by faults", { exact: true }).waitFor();
    emulator.restore(emulator.snapshot());
    await page.getByText("2 of them from a snapshot, cause unknown", { exact: true }).waitFor();
    await page.getByText("of 2 requests; for 2 of them, a snapshot has only the status").waitFor();
  });

  test("names what a later version of the service does in another way", async () => {
    const { page, emulator, goTo, submit } = await openDashboard();
    const later = page.getByRole("region", { name: "A later version of the service" });
    await page.getByText("of 0 requests").waitFor();
    expect(await later.count()).toBe(0);
    emulator.reset({ future: 55 });
    await later.getByText(`${emulator.future.length} changes`).click();
    expect(await later.getByRole("listitem").count()).toBe(emulator.future.length);
    await goTo(`/tasks/${await submit(LYRICS)}`);
    await page.getByRole("heading", { name: "Response, as today's version of the service has it" }).waitFor();
    emulator.reset({});
    await goTo(`/tasks/${await submit(LYRICS)}`);
    await page.getByRole("heading", { name: "Response, as the SDK returns it" }).waitFor();
  });

  test("tells the latest problems as sentences, newest first, with links", async () => {
    const { page, api, emulator, submit, goTo } = await openDashboard({ emulator: { credits: 5 } });
    await api("POST", "/task", SONG_REQUEST);
    await emulator.clock.advance(1000);
    emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation", polls: 2 });
    const taskId = await submit(LYRICS);
    for (let reads = 0; reads < 2; reads++) await api("GET", `/task/${taskId}`);
    const lines = page.locator(".problems li");
    await expect.poll(() => lines.count()).toBe(3);
    const texts = await lines.allTextContents();
    expect(texts[2]).toMatch(
      /POST \/task → 402 insufficient_credits The task costs 10 credits, but only 5 are available\.$/,
    );
    expect(texts.slice(0, 2).join()).toMatch(/polled_too_often .*again after/);
    expect(texts.slice(0, 2).join()).toMatch(/Task [\da-f]+ → failure content_moderation a lighthouse/);
    await lines.nth(2).getByRole("link").click();
    await page.getByRole("region", { name: "Request" }).getByText("insufficient_credits").first().waitFor();
    await goTo("/");
    await page.getByRole("link", { name: /^Task / }).click();
    await page.getByText("content_moderation").first().waitFor();
  });

  test("with several accounts, has the problems of the chosen one", async () => {
    const { page, api, emulator, goTo } = await openDashboard();
    const other = emulator.accounts.create({ credits: 50 });
    await api("POST", "/task", { ...SONG_REQUEST, model: "provider_c" });
    await page.getByText("of 1 request").waitFor();
    await goTo(`/?account=${other.account_id}`);
    await page.getByText("of 0 requests").waitFor();
    await page.getByText("50 credits").waitFor();
  });
});

test("the statement shows credits as a table and a chart, which change with each task", async () => {
  const { page, api, emulator, submit } = await openDashboard({ path: "/account/statement" });
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

test("the findings are grouped by rule, and each early read shows the time since the read before", async () => {
  const { page, api, emulator, submit } = await openDashboard();
  const taskId = await submit(LYRICS);
  await api("GET", `/task/${taskId}`);
  for (const ms of [400, 120]) {
    await emulator.clock.advance(ms);
    await api("GET", `/task/${taskId}`);
  }
  emulator.faults.add({ fault: { kind: "status", status: 429, retry_after_seconds: 9, when: "before" } });
  for (let sent = 0; sent < 2; sent++) await api("GET", "/account/balance");
  await page.getByRole("link", { name: "Findings" }).click();
  const early = page.getByRole("region", { name: "polled_too_often" });
  await early.getByText("The worst: 120 ms, of task").waitFor();
  await early.getByRole("row", { name: /GET \/task\/.* 120 ms / }).waitFor();
  await early.getByRole("row", { name: /GET \/task\/.* 400 ms / }).waitFor();
  const ignored = page.getByRole("region", { name: "ignored_retry_after" });
  const since = { name: "Since the read before" };
  expect(await early.getByRole("columnheader", since).count()).toBe(1);
  expect(await ignored.getByRole("columnheader", since).count()).toBe(0);
  await expect.poll(() => page.getByRole("main").textContent()).not.toContain("`");
  await ignored.getByRole("link", { name: "GET /account/balance" }).click();
  await page.getByRole("region", { name: "Request" }).waitFor();
});

test.each(["ord-1", "song.", "the", "x".repeat(128)])(
  "a finding links the request %s that it names",
  async (id) => {
    const { page, emulator, server, goTo } = await openDashboard();
    emulator.faults.add({ fault: { kind: "status", status: 502, when: "after" } });
    const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json", "X-Request-Id": id };
    const send = () =>
      fetch(`${server.url}/api/v1/task`, { method: "POST", headers, body: JSON.stringify(SONG_REQUEST) });
    await send();
    // It has the same ID.
    await send();
    for (const view of ["/requests?open=2", "/findings"]) {
      await goTo(view);
      const link = page.getByRole("main").getByRole("link", { name: id, exact: true });
      expect(await link.first().getAttribute("href")).toContain("open=1");
      expect(await link.count()).toBe(1);
    }
  },
);
