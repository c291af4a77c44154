import { describe, expect, test } from "vitest";
import { LONGEST_BILLING_LINE, LONGEST_KEY_NAME, RANGES } from "../../../emulator/core/ranges.js";
import type { Emulator } from "../../../emulator/index.js";
import type { Locator, Page } from "../../../tools/browser/browser.js";
import { problemsOf } from "./support/accessibility.js";
import { edit, openDashboard, SONG } from "./support/dashboard.js";

const withCard = (emulator: Emulator) =>
  void emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card" });

/** The message that is shown for a field, and read out with it. */
async function expectMessage(page: Page, field: Locator, message: string) {
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  const ids = ((await field.getAttribute("aria-describedby")) ?? "").split(" ");
  const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()));
  expect(texts.at(-1)).toBe(message);
}

describe("a wrong value is named at its field, in the words of its label", () => {
  const threshold = "Threshold (credits) must be a whole number from 50 to 1,000,000,000.";
  const recharge = "Recharge (USD) must be a whole number from 10 to 1,000.";
  const cap = "Monthly cap (USD) must be a whole number from 10 to 10,000.";
  const usd = "US dollars must be a number from 0.01 to 1,000,000 in steps of 0.01.";
  const credits = "must be a whole number from 0 to 1,000,000,000,000.";
  const times = "Times must be a whole number from 1 to 1,000,000,000.";
  const probability = "Probability must be a number from 0 to 1.";
  const requests = "Requests must be a whole number from 1 to 1,000,000,000.";
  const seconds = "In seconds must be a number from 0.001 to 1,000,000.";
  const seed = "Seed must be a whole number from -9,007,199,254,740,991 to 9,007,199,254,740,991.";
  test.each([
    [
      "/account",
      "Top up",
      "US dollars",
      /^Buy/,
      { "": "US dollars is required.", "-5": usd, "1e14": usd, "1.005": usd },
    ],
    [
      "/account",
      "Automatic top-up",
      "Threshold (credits)",
      "Switch on",
      { "": "Threshold (credits) is required.", "49": threshold, "50.5": threshold, "1e300": threshold },
    ],
    ["/account", "Automatic top-up", "Recharge (USD)", "Switch on", { "-10": recharge, "1001": recharge }],
    ["/account", "Automatic top-up", "Monthly cap (USD)", "Switch on", { "9": cap, "10001": cap }],
    [
      "/account/accounts",
      "All accounts",
      "Starting credits",
      "Create",
      {
        "": "Starting credits is required.",
        "-1": `Starting credits ${credits}`,
        "1e13": `Starting credits ${credits}`,
      },
    ],
    ["/scenarios", "Rules", "Times", /^Add for/, { "0": times, "1.5": times, "1e10": times }],
    ["/scenarios", "Rules", "Probability", /^Add for/, { "-0.1": probability, "1.1": probability }],
    ["/scenarios", "Rate limit", "Requests", /^Set for/, { "": "Requests is required.", "0": requests }],
    ["/scenarios", "Rate limit", "In seconds", /^Set for/, { "0": seconds, "1e7": seconds }],
    ["/scenarios", "Reset", "Seed", "Reset everything", { "1.5": seed, "1e16": seed }],
    ["/scenarios", "Reset", "Credits", "Reset everything", { "-1": `Credits ${credits}` }],
  ])("%s, %s: %s", async (path, region, label, submit, messages) => {
    const { page, emulator } = await openDashboard({ path, prepare: withCard });
    const form = page.getByRole("region", { name: region, exact: true });
    if (region === "Automatic top-up" || region === "Rate limit") await edit(form);
    const opens = { Reset: "Reset…", "All accounts": "Create an account…" }[region];
    if (opens !== undefined) await form.getByRole("button", { name: opens }).click();
    if (region === "Automatic top-up") await form.getByLabel(/I authorize/).check();
    const often = { Times: "times", Probability: "sometimes" }[label];
    if (often !== undefined) await form.getByLabel("How often").selectOption(often);
    const before = JSON.stringify(emulator.snapshot().state);
    const field = form.getByRole("spinbutton", { name: label, exact: true });
    for (const [value, message] of Object.entries(messages)) {
      await field.fill(value);
      await form.getByRole("button", { name: submit, exact: true }).click();
      await expectMessage(page, field, message);
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    }
    expect(JSON.stringify(emulator.snapshot().state)).toBe(before);
  });

  test("typed text that is no number", async () => {
    const { page } = await openDashboard({ path: "/account" });
    const field = page.getByLabel("US dollars");
    await field.fill("");
    await field.pressSequentially("1e");
    await page.getByRole("button", { name: "Buy credits" }).click();
    await expectMessage(page, field, "US dollars must be a number from 0.01 to 1,000,000 in steps of 0.01.");
  });

  test("more outcomes of next tasks than the page adds", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    await page.getByLabel("Request or task").selectOption("provider_b");
    await page.getByLabel("How often").selectOption("times");
    const field = page.getByRole("spinbutton", { name: "Times", exact: true });
    await field.fill("101");
    await page.getByRole("button", { name: /^Add for/ }).click();
    await expectMessage(page, field, "Times must be a whole number from 1 to 100.");
    expect(emulator.snapshot().state).toMatchObject({ scripts: { provider_b: { next: [] } } });
  });
});

test("an input has the limits that the emulator checks", async () => {
  const { page, goTo } = await openDashboard({ path: "/account", prepare: withCard });
  const expectRange = async (label: string, name: keyof typeof RANGES) => {
    const field = page.getByRole("spinbutton", { name: label, exact: true });
    const range = [Number(await field.getAttribute("min")), Number(await field.getAttribute("max"))];
    expect([label, range]).toEqual([label, RANGES[name]]);
  };
  await expectRange("US dollars", "usd");
  await edit(page.getByRole("region", { name: "Automatic top-up" }));
  await expectRange("Threshold (credits)", "threshold_credits");
  await expectRange("Recharge (USD)", "recharge_usd");
  await expectRange("Monthly cap (USD)", "monthly_cap_usd");
  await edit(page.getByRole("region", { name: "Billing information" }));
  const name = page.getByLabel("Company or legal name");
  await expect.poll(() => name.getAttribute("maxlength")).toBe(String(LONGEST_BILLING_LINE));
  await goTo("/account/keys");
  await page.getByRole("button", { name: /^Edit the name/ }).click();
  await expect.poll(() => page.getByLabel("Name").getAttribute("maxlength")).toBe(String(LONGEST_KEY_NAME));
  await goTo("/account/accounts");
  await page.getByRole("button", { name: "Create an account…" }).click();
  await expectRange("Starting credits", "credits");
  await goTo("/scenarios");
  const often = page.getByLabel("How often");
  await often.selectOption("times");
  await expectRange("Times", "times");
  await often.selectOption("sometimes");
  await expectRange("Probability", "probability");
  await edit(page.getByRole("region", { name: "Rate limit" }));
  await expectRange("Requests", "requests");
  await expectRange("In seconds", "window_seconds");
  await page.getByRole("button", { name: "Reset…" }).click();
  await expectRange("Seed", "seed");
  await expectRange("Credits", "credits");
});

test("an amount that cannot be bought is not offered", async () => {
  const { page, emulator } = await openDashboard({ path: "/account" });
  const form = page.getByRole("region", { name: "Top up", exact: true });
  for (const [usd, offer] of [
    ["-5", "Buy credits"],
    ["1000000000000", "Buy credits"],
    ["", "Buy credits"],
    ["1000000", "Buy 100,000,000 credits"],
  ] as const) {
    await form.getByLabel("US dollars").fill(usd);
    await expect.poll(() => form.getByRole("button").textContent()).toBe(offer);
  }
  expect(emulator.accounts.payments(emulator.accountId)).toEqual([]);
});

test.each(["light", "dark"] as const)(
  "messages have no problems in axe, in %s colors",
  async (colorScheme) => {
    const { page } = await openDashboard({ path: "/account", prepare: withCard, context: { colorScheme } });
    for (const name of ["Automatic top-up", "Billing information"])
      await edit(page.getByRole("region", { name }));
    await page.getByLabel("Threshold").fill("1");
    await page.getByLabel(/I authorize/).check();
    for (const name of ["Switch on", "Save"]) await page.getByRole("button", { name, exact: true }).click();
    await expect.poll(() => page.getByRole("alert").count()).toBe(5);
    expect(await problemsOf(page)).toEqual([]);
  },
);

test("a message goes when its value is corrected, and the others stay", async () => {
  const { page } = await openDashboard({ path: "/account" });
  const form = page.getByRole("region", { name: "Billing information" });
  await edit(form);
  await form.getByLabel("City").fill("  ");
  await form.getByRole("button", { name: "Save" }).click();
  const messages = () => form.getByRole("alert").allTextContents();
  const required = ["Company or legal name", "Address line 1", "City", "Country"];
  expect(await messages()).toEqual(required.map((label) => `${label} is required.`));
  const name = form.getByLabel("Company or legal name");
  expect(await name.evaluate((element) => element === document.activeElement)).toBe(true);
  await name.fill("Fado");
  await expect.poll(messages).toEqual(required.slice(1).map((label) => `${label} is required.`));
  await expect.poll(() => name.getAttribute("aria-invalid")).toBeNull();
});

describe("what the emulator refuses is named at its field, until it is changed", () => {
  test("a fault that can never fire", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    await page.getByLabel("How often").selectOption("sometimes");
    const probability = page.getByLabel("Probability");
    await probability.fill("0");
    const add = page.getByRole("button", { name: /^Add for/ });
    await add.click();
    const message = "Probability must be above 0: a fault with probability 0 never fires.";
    await expectMessage(page, probability, message);
    expect(emulator.faults.list()).toEqual([]);
    await probability.fill("0.5");
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await add.click();
    await expect.poll(() => emulator.faults.list().length).toBe(1);
  });

  test("a monthly cap below the recharge", async () => {
    const { page, emulator } = await openDashboard({ path: "/account", prepare: withCard });
    const form = page.getByRole("region", { name: "Automatic top-up" });
    await edit(form);
    await form.getByLabel("Recharge (USD)").fill("20");
    const cap = form.getByLabel("Monthly cap (USD)");
    await cap.fill("10");
    await form.getByLabel(/I authorize/).check();
    await form.getByRole("button", { name: "Switch on" }).click();
    await expectMessage(page, cap, "Monthly cap (USD) must be at least the recharge, which is 20.");
    expect(await cap.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(emulator.accounts.autoTopUp(emulator.accountId).enabled).toBe(false);
    await form.getByLabel("Recharge (USD)").fill("10");
    await expect.poll(() => form.getByRole("alert").count()).toBe(0);
  });

  test("the fields of a task", async () => {
    const { page, emulator } = await openDashboard({ path: "/tasks/new" });
    const submit = () => page.getByRole("button", { name: /^Submit/ }).click();
    const description = page.getByLabel("Description");
    await description.fill(" ");
    await submit();
    await expectMessage(page, description, "Description is required.");
    await page.getByLabel("Result").selectOption("custom");
    await submit();
    await expectMessage(page, page.getByLabel("Lyrics"), "Lyrics or Styles is required.");
    await page.getByLabel("Result").selectOption("continuation");
    await page.getByLabel("Clip ID").fill("a clip");
    await page.getByLabel("Continue at").fill("-1");
    await submit();
    const least = "Continue at (seconds) must be a number of at least 0.";
    await expectMessage(page, page.getByLabel("Continue at"), least);
    expect(emulator.requests).toEqual([]);
    await page.getByLabel("Task", { exact: true }).selectOption("upload");
    const address = page.getByLabel("Address");
    await address.fill("http://127.0.0.1/hum.wav");
    await submit();
    const refused =
      "Address must be a public address: local and private networks are refused (400 invalid_task_input).";
    await expectMessage(page, address, refused);
    await page.getByLabel("Model", { exact: true }).selectOption("provider_b");
    await page.getByLabel("Style and mood").fill("fado");
    await page.getByLabel("Seed", { exact: true }).fill("1.5");
    await submit();
    await expectMessage(page, page.getByLabel("Seed", { exact: true }), "Seed must be a whole number.");
    expect(emulator.requests.map(({ status }) => status)).toEqual([400]);
  });

  test("JSON, whichever of its parts is wrong", async () => {
    const { page } = await openDashboard({ path: "/scenarios" });
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByText("Anything else, as JSON").click();
    const json = rules.getByLabel("JSON");
    for (const [text, message] of [
      [
        '{"fault":{"kind":"latency","ms":-1}}',
        "`fault.ms` must be a number from 0 to 1000000000000; got -1.",
      ],
      ['{"fault":{"kind":"stall"},"probability":0}', "got 0."],
      ["[]", "The value must be an object; got []."],
      ["{", "Invalid JSON: "],
    ] as const) {
      await json.fill(text);
      await rules.getByRole("button", { name: "Add the JSON" }).click();
      await rules.getByRole("alert").getByText(message).waitFor();
      await expect.poll(() => json.getAttribute("aria-invalid")).toBe("true");
    }
  });

  test("a file that is no snapshot", async () => {
    const { page, emulator } = await openDashboard({ path: "/scenarios" });
    const field = page.getByLabel("Load a snapshot");
    const snapshot = JSON.stringify({ ...emulator.snapshot(), time: "now" });
    await field.setInputFiles({
      name: "old.json",
      mimeType: "application/json",
      buffer: Buffer.from(snapshot),
    });
    await page.getByRole("button", { name: "Replace everything" }).click();
    const reason = page.locator(`[id="${await field.getAttribute("aria-describedby")}"]`);
    await reason.getByText("old.json can't be loaded: `time` must be").waitFor();
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  });
});

test("what is about no field is shown at the end of the form", async () => {
  const { page, emulator } = await openDashboard({ path: "/tasks/new" });
  const [key] = emulator.accounts.get(emulator.accountId).keys;
  emulator.accounts.updateKey(emulator.accountId, key?.key_id ?? "", { disabled: true });
  await page.getByRole("button", { name: /^Submit/ }).click();
  const message = "The account has no enabled API key. Create or enable one.";
  await expect.poll(() => page.locator("form > .problem").textContent()).toBe(message);
});

test("the saved card shows whether it refuses charges, also after a reload", async () => {
  const { page, emulator } = await openDashboard({ path: "/account", prepare: withCard });
  const form = page.getByRole("region", { name: "Automatic top-up" });
  const pressed = form.getByRole("button", { pressed: true });
  const isRefusing = () => emulator.accounts.autoTopUp(emulator.accountId).saved_card_refuses;
  expect([await pressed.textContent(), isRefusing()]).toEqual(["accept charges", false]);
  await form.getByRole("button", { name: "refuse charges" }).click();
  await expect.poll(() => pressed.textContent()).toBe("refuse charges");
  await page.reload();
  await expect.poll(() => pressed.textContent()).toBe("refuse charges");
  expect(isRefusing()).toBe(true);
  await form.getByRole("button", { name: "accept charges" }).click();
  await expect.poll(isRefusing).toBe(false);
});

test("the automatic top-up says which charge was refused and when, and is never off and paused", async () => {
  const { page, emulator, api } = await openDashboard({
    path: "/account",
    emulator: { credits: 0 },
    prepare({ accounts, accountId }) {
      accounts.topUp(accountId, { usd: 0.6, method: "card" });
      const { authorization } = accounts.authorize(accountId);
      const amounts = { threshold_credits: 100, recharge_usd: 10, monthly_cap_usd: 20 };
      accounts.setAutoTopUp(accountId, { enabled: true, ...amounts, authorization });
      accounts.update(accountId, { saved_card: "refuses" });
    },
  });
  const section = page.getByRole("region", { name: "Automatic top-up" });
  const state = section.locator(".mark");
  await expect.poll(() => state.textContent()).toBe("on");
  await emulator.clock.advance(61_000);
  await api("POST", "/task", SONG);
  const { saved_card: card } = emulator.accounts.autoTopUp(emulator.accountId);
  await section.getByText("paused until 2026-01-01 01:01:01 UTC").waitFor();
  await section
    .getByText(
      `Last refused: the automatic charge of $10.00 to the card •••• ${card}, on 2026-01-01 00:01:01 UTC.`,
    )
    .waitFor();
  await emulator.clock.advance(3_600_000);
  await page.reload();
  await section.getByText("Last refused: the automatic charge of $10.00").waitFor();
  await expect.poll(() => section.getByText("paused until").count()).toBe(0);
  await api("POST", "/task", SONG);
  await expect.poll(() => state.textContent()).toBe("paused");
  await section.getByRole("button", { name: "Switch off" }).click();
  await section.getByText("Nothing is charged automatically").waitFor();
  await expect.poll(() => state.textContent()).toBe("off");
  await expect.poll(() => section.getByText(/paused until|is charged to/).count()).toBe(0);
  await section.getByText("Last refused: the automatic charge").waitFor();
});
