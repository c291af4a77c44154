import { describe, expect, test } from "vitest";
import { POLICY_FIELDS } from "../../../emulator/core/policy-fields.js";
import { createEmulator, type Fault } from "../../../emulator/index.js";
import type { Page } from "../../../tools/browser/browser.js";
import { edit, openDashboard, SONG } from "./support/dashboard.js";

const resetOf = (page: Page) => page.getByRole("region", { name: "Reset", exact: true });

describe("scenarios", () => {
  test("a rule is added as a sentence, fires once with a link to its request, and is then used up", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/scenarios" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByText("No rules").waitFor();
    await rules.getByLabel("Response").selectOption("error-after");
    await rules.getByRole("button", { name: "Add for every account" }).click();
    const row = rules.getByRole("row", {
      name: /^When POST \/task of every account comes, once, respond with 500 after/,
    });
    await row.getByText("not yet").waitFor();
    expect(emulator.faults.list().map(({ rule }) => rule)).toEqual([
      {
        method: "POST",
        path: "/api/v1/task",
        fault: { kind: "status", status: 500, when: "after" },
      },
    ]);
    expect((await api("POST", "/task", SONG)).status).toBe(500);
    expect((await api("POST", "/task", SONG)).status).toBe(202);
    await rules.getByRole("row", { name: /comes, respond with 500 after .* 1 × #1 used up/ }).waitFor();
    await rules.getByRole("link", { name: "#1" }).click();
    await page.getByRole("heading", { name: "POST /api/v1/task" }).waitFor();
  });

  test("a sentence is filled in: a request, an account, how often, and the response", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    emulator.accounts.create();
    const { account_id: accountId } = emulator.accounts.create();
    const rules = page.getByRole("region", { name: "Rules" });
    const choices = [
      ["Request or task", "POST /task"],
      ["Account", `account 3 · ${accountId.slice(0, 8)}`],
      ["How often", "once"],
      ["Response", "502 after the request was processed"],
    ] as const;
    for (const [label, choice] of choices)
      await rules.getByLabel(label, { exact: true }).selectOption({ label: choice });
    const sentence = await rules.locator(".sentence").evaluate((element) => {
      for (const select of element.querySelectorAll("select"))
        select.parentElement?.replaceWith(` ${select.selectedOptions[0]?.text} `);
      return element.textContent?.trim().replaceAll(/\s+/g, " ");
    });
    const [request, account, often, response] = choices.map(([, choice]) => choice);
    expect(sentence).toBe(`When ${request} of ${account} comes, ${often} respond with ${response}`);
  });

  test("the rule of a sentence for one account is a row with the same words", async () => {
    const { page, emulator, api } = await openDashboard({ path: "/scenarios" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Account", { exact: true }).selectOption(emulator.accountId);
    await rules.getByLabel("Response").selectOption("bad-gateway-after");
    await rules.getByRole("button", { name: "Add for account 1" }).click();
    const words =
      "When POST /task of account 1 comes, once, respond with 502 after the request was processed";
    await rules.getByRole("row", { name: `${words} not yet` }).waitFor();
    await rules.getByRole("button", { name: `Remove: ${words}` }).waitFor();
    expect((await api("POST", "/task", SONG)).status).toBe(502);
    expect(emulator.accounts.get(emulator.accountId).usage.tasks_created).toBe(1);
  });

  test.each([
    ["times", "Times", "4", "4 times", { times: 4 }],
    ["sometimes", "Probability", "0.5", "with probability 0.5, every time", { probability: 0.5 }],
    ["every", null, "", "every time", { probability: 1 }],
  ] as const)("a rule applies %s", async (often, label, value, text, limits) => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Request or task").selectOption("account");
    await rules.getByLabel("How often").selectOption(often);
    if (label !== null) await rules.getByLabel(label).fill(value);
    await rules.getByLabel("Response").selectOption("limited");
    await rules.getByRole("button", { name: "Add for every account" }).click();
    await rules.getByRole("row", { name: text.replace(", every time", "") }).waitFor();
    const fault = { kind: "status", status: 429, retry_after_seconds: 5, when: "before" };
    expect(emulator.faults.list().map(({ rule }) => rule)).toEqual([
      { method: "GET", path: "/api/v1/account/*", ...limits, fault },
    ]);
  });

  test("a rule that fires often shows how often, and links to the latest requests", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/scenarios" });
    emulator.faults.add({ probability: 1, fault: { kind: "latency", ms: 1 } });
    for (let count = 0; count < 7; count++) await api("GET", "/account/balance");
    await page.getByRole("cell", { name: "7 × latest: #3 #4 #5 #6 #7" }).waitFor();
  });

  test("a rule that was used in part says how often it still applies", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/scenarios" });
    emulator.faults.add({ times: 3, path: "/api/v1/account/balance", fault: { kind: "latency", ms: 1 } });
    for (const [times, fired] of [
      ["3 times", "not yet"],
      ["2 more times", "1 ×"],
      ["1 more time", "2 ×"],
    ] as const) {
      const words = `When any method /account/balance of every account comes, ${times}, respond with`;
      await page.getByRole("row", { name: `${words} 1 ms of latency ${fired}` }).waitFor();
      await api("GET", "/account/balance");
    }
  });

  test.each<[fault: Fault, words: string]>([
    [{ kind: "latency", ms: 1500 }, "1.5 s of latency"],
    [{ kind: "disconnect", when: "after" }, "a lost connection after the request was processed"],
    [{ kind: "status", status: 503, when: "before" }, "503 before the request is processed"],
    [
      {
        kind: "status",
        status: 503,
        error_code: "internal_error",
        retry_after_seconds: 7,
        when: "after",
      },
      "503 internal_error with Retry-After: 7, after the request was processed",
    ],
  ])("a fault has the same words as a rule and in its request: %j", async (fault, words) => {
    const { page, api, emulator, goTo } = await openDashboard({ path: "/scenarios" });
    emulator.faults.add({ fault });
    await page.getByRole("row", { name: `respond with ${words}` }).waitFor();
    await Promise.all([api("GET", "/account/balance").catch(() => {}), emulator.clock.advance(1500)]);
    await goTo("/requests?open=1");
    await page.getByRole("region", { name: "Request" }).getByText(words, { exact: true }).waitFor();
  });

  test("any fault and any outcome can be added as JSON", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByText("Anything else, as JSON for POST /_emulator/faults").click();
    const json = rules.getByLabel("JSON");
    // It begins with what the sentence says.
    await rules.getByLabel("Request or task").selectOption("read");
    const proposed = { method: "GET", path: "/api/v1/task/*" };
    await expect.poll(async () => JSON.parse(await json.inputValue())).toMatchObject(proposed);
    await json.fill(
      '{"method":"GET","path":"/api/v1/account/*","times":3,"fault":{"kind":"latency","ms":2500}}',
    );
    await rules.getByRole("button", { name: "Add the JSON" }).click();
    await rules
      .getByRole("row", { name: /GET \/account\/\* of every account comes, 3 times, .*2.5 s of latency/ })
      .waitFor();
    await rules.getByLabel("Request or task").selectOption("provider_a");
    await rules.getByText("as JSON for POST /_emulator/providers/provider_a/next").waitFor();
    await json.fill('{"outcome":"success","clips":3}');
    await rules.getByRole("button", { name: "Add the JSON" }).click();
    await rules
      .getByRole("row", { name: /a task of provider_a of every account comes, once, .*Success, clips: 3/ })
      .waitFor();
    expect(emulator.snapshot().state).toMatchObject({ scripts: { provider_a: { next: [{ clips: 3 }] } } });
  });

  test("the account picker scopes rules, policy and limits, and each button says so", async () => {
    const { page, emulator, api } = await openDashboard({ path: "/scenarios" });
    const { account_id: accountId } = emulator.accounts.create({ credits: 10 });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Account", { exact: true }).selectOption(accountId);
    await rules.getByLabel("Request or task").selectOption("any");
    await rules.getByRole("button", { name: "Add for account 2" }).click();
    await rules.getByRole("row", { name: /any request of account 2 comes, once/ }).waitFor();
    await rules.getByLabel("Request or task").selectOption("provider_b");
    await rules.getByLabel("Outcome").selectOption("hang");
    await rules.getByRole("button", { name: "Add for account 2" }).click();
    await rules
      .getByRole("row", { name: /a task of provider_b of account 2 comes, once, its outcome is Hangs/ })
      .waitFor();
    await page.getByText("A change gives account 2 a policy of its own.").waitFor();
    await page.getByLabel("timeout_retryable").selectOption("false");
    await page.getByRole("button", { name: "Reset 1 option" }).waitFor();
    const limits = page.getByRole("region", { name: "Rate limit" });
    await edit(limits);
    await limits.getByLabel("Requests").fill("9");
    await limits.getByRole("button", { name: "Set for account 2" }).click();
    await limits.getByText("9 requests in 60 s for each key of account 2").waitFor();
    await page.reload();
    await limits.getByText("9 requests in 60 s for each key of account 2").waitFor();
    const { accounts } = emulator.snapshot().state as { accounts: object[] };
    expect(accounts[0]).not.toHaveProperty("policy");
    expect(accounts[1]).toMatchObject({
      policy: { timeout_retryable: false },
      limits: { requests: 9 },
      scripts: { provider_b: { next: [{ outcome: "hang" }] } },
    });
    expect(emulator.faults.list({ accountId })).toHaveLength(1);
    expect((await api("GET", "/account/balance")).status).toBe(200);
    await rules.getByLabel("Account", { exact: true }).selectOption("");
    await limits.getByText("except for 1 account with limits of their own").waitFor();
  });

  test("an outcome applies to the next tasks or to all, and each is removed by itself", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const { account_id: accountId } = emulator.accounts.create();
    emulator.providers.provider_b.always({ account_id: accountId, outcome: "failure" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Request or task").selectOption("provider_b");
    await rules.getByLabel("Outcome", { exact: true }).selectOption("hang");
    await rules.getByLabel("How often").selectOption("times");
    await rules.getByLabel("Times").fill("2");
    await rules.getByRole("button", { name: "Add for every account" }).click();
    const row = (text: RegExp) => rules.getByRole("row", { name: text });
    await row(/every account comes, once, its outcome is Hangs/)
      .nth(1)
      .waitFor();
    await rules.getByLabel("How often").selectOption("every");
    await rules.getByRole("button", { name: "Add for every account" }).click();
    const hang = { outcome: "hang" };
    await row(/every account comes, every time, its outcome is Hangs/).waitFor();
    const scripts = () => (emulator.snapshot().state as { scripts: object }).scripts;
    expect(scripts()).toMatchObject({ provider_b: { next: [hang, hang], always: hang } });
    await row(/every account comes, once, its outcome is Hangs/)
      .first()
      .getByRole("button")
      .click();
    await expect.poll(scripts).toMatchObject({ provider_b: { next: [hang], always: hang } });
    await row(/every account comes, every time, its outcome is Hangs/)
      .getByRole("button")
      .click();
    await expect.poll(scripts).toMatchObject({ provider_b: { next: [hang], always: null } });
    expect(emulator.snapshot().state).toMatchObject({
      accounts: [{}, { scripts: { provider_b: { always: { outcome: "failure" } } } }],
    });
    await rules.getByRole("button", { name: "Remove all 2" }).click();
    await rules.getByText("No rules").waitFor();
    expect(scripts()).toMatchObject({ provider_b: { next: [], always: null } });
  });

  test("a second policy option can be changed while the first one is being changed", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    await page.route("**/_emulator/policy", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.getByLabel("invalid_audio_format_status").selectOption("422");
    await page.getByLabel("timeout_retryable").selectOption("false");
    await expect
      .poll(() => emulator.policy)
      .toMatchObject({ invalid_audio_format_status: 422, timeout_retryable: false });
  });

  test("every policy option has a field with its description, and changes the service", async () => {
    const { page, emulator, api } = await openDashboard({ path: "/scenarios" });
    for (const [name, { decides }] of Object.entries(POLICY_FIELDS)) {
      const control = page.getByRole("combobox", { name, exact: true });
      const reason = (await control.getAttribute("aria-describedby")) ?? "";
      await expect.poll(() => page.locator(`[id="${reason}"]`).textContent()).toBe(decides);
    }
    await page.getByLabel("invalid_audio_format_status").selectOption("422");
    await page.getByLabel("timeout_retryable").selectOption("false");
    await page.getByRole("button", { name: "Reset 2 options" }).waitFor();
    // Changed options come first.
    const first = page.getByRole("region", { name: "Policy" }).locator(".policy label");
    expect((await first.allTextContents()).slice(0, 2).sort()).toEqual([
      "invalid_audio_format_status",
      "timeout_retryable",
    ]);
    expect(emulator.policy).toMatchObject({ invalid_audio_format_status: 422, timeout_retryable: false });
    expect((await api("POST", "/task", { ...SONG, audio_format: "wav" })).status).toBe(422);
    await page.getByRole("button", { name: "Reset 2 options" }).click();
    await expect.poll(() => emulator.policy.invalid_audio_format_status).toBe(400);
  });

  test("the rate limit shows what another program set, and what a reset restored", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const limits = page.getByRole("region", { name: "Rate limit" });
    const fields = () =>
      Promise.all(["Requests", "In seconds"].map((label) => limits.getByLabel(label).inputValue()));
    await edit(limits);
    expect(await fields()).toEqual(["120", "60"]);
    emulator.changeLimits({ requests: 7 });
    await expect.poll(fields).toEqual(["7", "60"]);
    await limits.getByLabel("In seconds").fill("9");
    await limits.getByRole("button", { name: "Set for every account" }).click();
    await limits.getByText("7 requests in 9 s").waitFor();
    expect(emulator.limits).toEqual({ requests: 7, windowSeconds: 9 });
    await edit(limits);
    emulator.reset();
    await expect.poll(fields).toEqual(["120", "60"]);
  });

  test.each([
    ["no options", {}, "1", "1000"],
    ["a seed and credits", { seed: 7, credits: 5 }, "7", "5"],
    ["a seed file", { seed: 7, seedFile: { accounts: [{ credits: 25 }] } }, "7", null],
  ])("a reset proposes what the emulator started with: %s", async (_, options, seed, credits) => {
    const { page, emulator } = await openDashboard({
      path: "/scenarios",
      emulator: { seed: undefined, credits: undefined, ...options },
    });
    const before = emulator.snapshot();
    await page.getByRole("button", { name: "Reset…" }).click();
    const form = resetOf(page);
    await expect.poll(() => form.getByLabel(/^Seed/).inputValue()).toBe(seed);
    const field = form.getByLabel("Credits");
    expect(credits === null ? await field.count() : await field.inputValue()).toBe(credits ?? 0);
    emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card" });
    await form.getByRole("button", { name: "Reset everything" }).click();
    await form.getByRole("button", { name: "Reset everything" }).waitFor({ state: "detached" });
    expect(emulator.snapshot()).toEqual(before);
  });

  test("a snapshot is saved and loaded, and another file is refused with the reason", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Save a snapshot" }).click();
    const file = await (await download).path();
    emulator.accounts.topUp(emulator.accountId, { usd: 50, method: "card" });
    const field = page.getByLabel("Load a snapshot");
    for (const [name, text] of [
      ["x.json", "no"],
      ["package.json", '{ "name": "app", "version": "1.0.0" }'],
    ] as const) {
      await field.setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
      await page.getByRole("alert").getByText(`${name} is not a snapshot of an emulator.`).waitFor();
    }
    const available = () => emulator.accounts.get(emulator.accountId).balance.available;
    for (const answer of ["Cancel", "Replace everything"]) {
      await field.setInputFiles(file);
      await page.getByText("replaces everything").waitFor();
      expect(available()).toBe(5100);
      await page.getByRole("button", { name: answer }).click();
      await page.getByText("replaces everything").waitFor({ state: "detached" });
    }
    await page.getByText("Loaded").waitFor();
    expect(available()).toBe(100);
  });

  test("a reset must be confirmed, applies its seed, credits and policy, and clears every view", async () => {
    const { page, api, emulator, goTo } = await openDashboard({ path: "/scenarios" });
    const form = resetOf(page);
    await api("POST", "/task", SONG);
    await page.getByRole("button", { name: "Reset…" }).click();
    await form.getByLabel(/^Seed/).fill("7");
    await form.getByRole("button", { name: "Cancel" }).click();
    expect(emulator.requests.length).toBe(1);
    await page.getByRole("button", { name: "Reset…" }).click();
    await expect.poll(() => form.getByLabel(/^Seed/).inputValue()).toBe("1");
    await form.getByLabel(/^Seed/).fill("42");
    await form.getByLabel("Credits").fill("33");
    await form.getByLabel("Draw the policy from the seed").check();
    await form.getByRole("button", { name: "Reset everything" }).click();
    await form.getByRole("button", { name: "Reset everything" }).waitFor({ state: "detached" });
    expect(emulator.snapshot().state).toMatchObject({ seed: 42 });
    expect(emulator.policy).toEqual(createEmulator({ seed: 42, policy: "vary" }).policy);
    await goTo("/");
    await page.getByText("33 credits available").waitFor();
    await page.getByRole("link", { name: "Tasks" }).first().click();
    await page.getByText("No tasks yet.").waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByText("No requests yet.").waitFor();
  });
});
