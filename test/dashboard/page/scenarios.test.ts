import { afterAll, describe, expect, test } from "vitest";
import { POLICY_FIELDS } from "../../../emulator/core/policy-fields.js";
import { createEmulator } from "../../../emulator/index.js";
import { closeBrowser, openDashboard } from "./support/dashboard.js";

afterAll(closeBrowser);

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } };

describe("scenarios", () => {
  test("a fault is added, applies to one request, and is removed", async () => {
    const { page, api } = await openDashboard({ path: "/scenarios" });
    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByText("No faults.").waitFor();
    await faults.getByLabel("Fault").selectOption("bad-gateway");
    await faults.getByRole("button", { name: "Add the fault" }).click();
    await faults.getByRole("listitem").getByText("502 upstream_provider_error").waitFor();
    await faults.getByText("Creating a task · once").waitFor();
    expect((await api("POST", "/task", SONG)).status).toBe(502);
    await faults.getByText("No faults.").waitFor();
    expect((await api("POST", "/task", SONG)).status).toBe(202);
  });

  test("any fault and any outcome can be added as JSON, and errors in it are shown", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByText("Another fault, as JSON").click();
    await faults.getByRole("button", { name: "Add the JSON" }).click();
    const added = faults.getByRole("listitem");
    await added.getByText('"kind":"latency","ms":2500').waitFor();
    expect(await added.textContent()).toContain("Balance and usage · 3 times");
    await faults.getByLabel("JSON").fill('{"fault":{"kind":"none"}}');
    await faults.getByRole("button", { name: "Add the JSON" }).click();
    await faults.getByRole("alert").getByText("kind").waitFor();
    await faults.getByLabel("JSON").fill("{");
    await faults.getByRole("button", { name: "Add the JSON" }).click();
    await faults.getByRole("alert").getByText("Invalid JSON").waitFor();
    const outcomes = page.getByRole("region", { name: "Outcomes" });
    await outcomes.getByText("Another outcome, as JSON").click();
    await outcomes.getByRole("button", { name: "For the next task of provider_a" }).click();
    await outcomes.getByText("provider_a · next task").waitFor();
    expect(emulator.snapshot().state).toMatchObject({ scripts: { provider_a: { next: [{ clips: 3 }] } } });
  });

  test("faults, outcomes and limits of one account name it", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const { account_id: accountId } = emulator.accounts.create();
    const short = accountId.slice(0, 8);
    emulator.faults.add({
      account_id: accountId,
      method: "POST",
      path: "/api/v1/task",
      fault: { kind: "malformed" },
    });
    emulator.providers.provider_b.next({ account_id: accountId, outcome: "hang" });
    emulator.changeLimits({ requests: 9 }, { accountId });
    await page.getByText(`Creating a task · once · account ${short}`).waitFor();
    await page.getByText(`provider_b, account ${short} · next task`).waitFor();
    await page.getByText("except for 1 account with limits of their own").waitFor();
  });

  test("faults with a probability stay, and all are removed at once", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByLabel("Times").fill("");
    await faults.getByLabel("Probability").fill("0.5");
    await faults.getByRole("button", { name: "Add the fault" }).click();
    await faults.getByText("unlimited, probability 0.5").waitFor();
    await faults.getByRole("button", { name: "Remove all" }).click();
    await faults.getByText("No faults.").waitFor();
    expect(emulator.snapshot().state).toMatchObject({ faults: [] });
  });

  test("every policy option has a field with its description, and changes the service", async () => {
    const { page, emulator, api } = await openDashboard({ path: "/scenarios" });
    for (const [name, { decides }] of Object.entries(POLICY_FIELDS)) {
      const control = page.getByRole("combobox", { name, exact: true });
      const reason = (await control.getAttribute("aria-describedby")) ?? "";
      expect(await page.locator(`[id="${reason}"]`).textContent()).toBe(decides);
    }
    await page.getByLabel("invalid_audio_format_status").selectOption("422");
    await page.getByLabel("timeout_retryable").selectOption("false");
    await page.getByRole("button", { name: "Reset 2 options" }).waitFor();
    expect(emulator.policy).toMatchObject({ invalid_audio_format_status: 422, timeout_retryable: false });
    expect((await api("POST", "/task", { ...SONG, audio_format: "wav" })).status).toBe(422);
    await page.getByRole("button", { name: "Reset 2 options" }).click();
    await expect.poll(() => emulator.policy.invalid_audio_format_status).toBe(400);
  });

  test("both numbers of the rate limit can be set", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const limits = page.getByRole("region", { name: "Rate limit" });
    await limits.getByLabel("Requests").fill("7");
    await limits.getByLabel("In seconds").fill("9");
    await limits.getByRole("button", { name: "Set the limit" }).click();
    await limits.getByText("7 requests in 9 s").waitFor();
    expect(emulator.limits).toEqual({ requests: 7, windowSeconds: 9 });
  });

  test("a fault is added for the chosen requests and number of times", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByLabel("Fault").selectOption("limited");
    await faults.getByLabel("Requests", { exact: true }).selectOption("account");
    await faults.getByLabel("Times").fill("4");
    await faults.getByRole("button", { name: "Add the fault" }).click();
    await faults.getByText("Balance and usage · 4 times").waitFor();
    expect(emulator.faults.list().map(({ rule }) => rule)).toEqual([
      {
        method: "GET",
        path: "/api/v1/account/*",
        times: 4,
        fault: { kind: "status", status: 429, retry_after_seconds: 5, when: "before" },
      },
    ]);
  });

  test("an outcome is added to the chosen provider, and removed from it", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const outcomes = page.getByRole("region", { name: "Outcomes" });
    await outcomes.getByLabel("Outcome", { exact: true }).selectOption("hang");
    await outcomes.getByLabel("Provider").selectOption("provider_b");
    await outcomes.getByRole("button", { name: "For its next task" }).click();
    await outcomes.getByText("provider_b · next task").waitFor();
    await outcomes.getByRole("button", { name: "For all its tasks" }).click();
    await outcomes.getByText("provider_b · all other tasks").waitFor();
    const hang = { outcome: "hang" };
    const none = { next: [], always: null };
    expect(emulator.snapshot().state).toMatchObject({
      scripts: { provider_a: none, provider_b: { next: [hang], always: hang } },
    });
    await outcomes.getByRole("button", { name: "Clear the next" }).click();
    await outcomes.getByRole("button", { name: "Clear those for all other tasks" }).click();
    await outcomes.getByText("provider_b has no outcome set").waitFor();
    expect(emulator.snapshot().state).toMatchObject({ scripts: { provider_b: none } });
  });

  test("outcomes of one account alone are removed", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const { account_id: accountId } = emulator.accounts.create();
    emulator.providers.provider_b.next({ account_id: accountId, outcome: "hang" });
    emulator.providers.provider_b.always({ account_id: accountId, outcome: "failure" });
    const outcomes = page.getByRole("region", { name: "Outcomes" });
    await outcomes.getByRole("button", { name: "Clear the next" }).click();
    await outcomes.getByText("· next task").waitFor({ state: "detached" });
    await outcomes.getByRole("button", { name: "Clear those for all other tasks" }).click();
    await outcomes.getByText("provider_b has no outcome set").waitFor();
    const none = { provider_a: { next: [], always: null }, provider_b: { next: [], always: null } };
    expect(emulator.snapshot().state).toMatchObject({ accounts: [{}, { scripts: none }] });
  });

  test("the rate limit shows what another program set, and what a reset restored", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const limits = page.getByRole("region", { name: "Rate limit" });
    const fields = () =>
      Promise.all(["Requests", "In seconds"].map((label) => limits.getByLabel(label).inputValue()));
    expect(await fields()).toEqual(["120", "60"]);
    emulator.changeLimits({ requests: 7 });
    await expect.poll(fields).toEqual(["7", "60"]);
    await limits.getByLabel("In seconds").fill("9");
    await limits.getByRole("button", { name: "Set the limit" }).click();
    await limits.getByText("7 requests in 9 s").waitFor();
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
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel(/^Seed/).inputValue()).toBe(seed);
    const field = dialog.getByLabel("Credits");
    expect(credits === null ? await field.count() : await field.inputValue()).toBe(credits ?? 0);
    emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card" });
    await dialog.getByRole("button", { name: "Reset everything" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(emulator.snapshot()).toEqual(before);
  });

  test("a reset that was canceled proposes the same again", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios", emulator: { seed: 7 } });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Reset…" }).click();
    await dialog.getByLabel(/^Seed/).fill("42");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Reset…" }).click();
    await expect.poll(() => dialog.getByLabel(/^Seed/).inputValue()).toBe("7");
    await dialog.getByRole("button", { name: "Reset everything" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(emulator.snapshot().state).toMatchObject({ seed: 7 });
  });

  test("a reset applies its seed, its credits and a policy drawn from the seed", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    await page.getByRole("button", { name: "Reset…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Seed/).fill("42");
    await dialog.getByLabel("Credits").fill("33");
    await dialog.getByLabel("Draw the policy from the seed").check();
    await dialog.getByRole("button", { name: "Reset everything" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(emulator.snapshot().state).toMatchObject({ seed: 42 });
    expect(emulator.policy).toEqual(createEmulator({ seed: 42, policy: "vary" }).policy);
    expect(emulator.accounts.get(emulator.accountId).balance.total).toBe(33);
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
    await field.setInputFiles(file);
    await page.getByText("Loaded").waitFor();
    expect(emulator.accounts.get(emulator.accountId).balance.available).toBe(100);
  });

  test("a reset must be confirmed, and clears every view", async () => {
    const { page, api, emulator, goTo } = await openDashboard({ path: "/scenarios" });
    await api("POST", "/task", SONG);
    await page.getByRole("button", { name: "Reset…" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(emulator.requests.length).toBe(1);
    await page.getByRole("button", { name: "Reset…" }).click();
    await page.getByRole("dialog").getByLabel("Credits").fill("33");
    await page.getByRole("button", { name: "Reset everything" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await goTo("/");
    await page.getByText("$0.33 to spend").waitFor();
    await page.getByRole("link", { name: "Tasks" }).first().click();
    await page.getByText("No tasks yet.").waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByText("No requests yet.").waitFor();
  });
});
