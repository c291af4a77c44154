import { describe, expect, test } from "vitest";
import { edit, openDashboard, SONG } from "./support/dashboard.js";

describe("the account", () => {
  test("is three pages, and the statement shares their navigation", async () => {
    const { page } = await openDashboard({ path: "/account" });
    const links = page.getByRole("navigation", { name: "Account" }).getByRole("link");
    const current = page.getByRole("navigation", { name: "Account" }).locator("[aria-current]");
    const parts = () => page.getByRole("heading", { level: 2 }).allTextContents();
    for (const [title, regions] of [
      [
        "Billing and payments",
        ["Top up", "Automatic top-up", "Payments and invoices", "Billing information"],
      ],
      ["Keys", ["API keys"]],
      ["Accounts", ["All accounts"]],
    ] as const) {
      await links.filter({ hasText: title }).click();
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      expect(await parts()).toEqual(regions);
      await expect.poll(() => current.allTextContents()).toEqual([title]);
    }
    await links.first().click();
    await page.getByRole("link", { name: "Statement" }).click();
    await page.getByRole("heading", { level: 1, name: "Statement" }).waitFor();
    await expect.poll(() => current.getAttribute("aria-current")).toBe("true");
    await links.first().click();
    await page.getByRole("heading", { level: 1, name: "Billing and payments" }).waitFor();
  });

  test("shows its settings as sentences, and a form only after a press on Edit", async () => {
    const { page, emulator } = await openDashboard({
      path: "/account",
      prepare({ accounts, accountId: id }) {
        accounts.topUp(id, { usd: 10, method: "card" });
        const amounts = { threshold_credits: 70, recharge_usd: 20, monthly_cap_usd: 40 };
        accounts.setAutoTopUp(id, { enabled: true, ...amounts, ...accounts.authorize(id) });
      },
    });
    const section = page.getByRole("region", { name: "Automatic top-up" });
    await section
      .getByText(/less than 70 credits available, \$20\.00 is charged .* up to \$40\.00 a month/)
      .waitFor();
    const billing = page.getByRole("region", { name: "Billing information" });
    for (const part of [section, billing]) {
      await part.getByRole("button", { name: "Edit", exact: true }).waitFor();
      await expect.poll(() => part.locator("input").count()).toBe(0);
    }
    await edit(section);
    const threshold = section.getByLabel("Threshold");
    expect(await threshold.evaluate((field) => field === document.activeElement)).toBe(true);
    await threshold.fill("80");
    await section.getByRole("button", { name: "Cancel" }).click();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect([await focused(), await section.locator("input").count()]).toEqual(["Edit", 0]);
    await edit(section);
    await expect.poll(() => threshold.inputValue()).toBe("70");
    expect(emulator.accounts.autoTopUp(emulator.accountId).threshold_credits).toBe(70);
  });

  test("a name that is typed while the page receives new data is saved", async () => {
    const { page, api, emulator } = await openDashboard({ path: "/account/keys" });
    const end = emulator.apiKey.slice(-4);
    await page.getByRole("button", { name: `Edit the name of the key that ends in ${end}` }).click();
    const name = page.getByLabel("Name");
    await name.pressSequentially("batch");
    await page.getByText("never").waitFor();
    await api("GET", "/account/balance");
    await page.getByText("never").waitFor({ state: "detached" });
    await expect.poll(() => name.inputValue()).toBe("batch");
    await name.pressSequentially(" job");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Disable key batch job" }).waitFor();
  });
  test("a new key is shown once, can be copied, works, and is not stored", async () => {
    const { page, server } = await openDashboard({ path: "/account/keys" });
    await page.getByRole("button", { name: "Create a key" }).click();
    const panel = page.getByRole("article", { name: "The new key" });
    const value = (await panel.locator(".secret code").textContent()) ?? "";
    expect(value).toMatch(/^emu_/);
    await panel.getByRole("button", { name: "Copy key" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(value);

    const balance = await fetch(`${server.url}/api/v1/account/balance`, { headers: { "x-api-key": value } });
    expect(balance.status).toBe(200);

    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect([kept, page.url()].join()).not.toContain("emu_");
    await page.reload();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    expect(await page.content()).not.toContain(value);
    await expect.poll(() => page.getByRole("row", { name: "enabled" }).count()).toBe(2);
    expect(await page.content()).not.toContain(value);
  });

  test.each(["disable", "delete", "reset"])("a new key is no longer shown after a %s", async (end) => {
    const { page, emulator, goTo } = await openDashboard({ path: "/account/keys" });
    const panel = page.getByRole("article", { name: "The new key" });
    await page.getByRole("button", { name: "Create a key" }).click();
    await panel.getByText("The new key of account 1 is ready.").waitFor();
    const key = emulator.accounts.get(emulator.accountId).keys.at(-1)?.key_id ?? "";
    await page
      .getByRole("button", { name: /^Disable/ })
      .nth(1)
      .waitFor();
    if (end === "disable") emulator.accounts.updateKey(emulator.accountId, key, { disabled: true });
    else if (end === "delete") emulator.accounts.deleteKey(emulator.accountId, key);
    else emulator.reset();
    await panel.waitFor({ state: "detached" });
    // The page can be left without a question.
    const isPrevented = () =>
      page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
    expect(await isPrevented()).toBe(false);
    await page.getByRole("button", { name: "Create a key" }).click();
    await panel.waitFor();
    expect(await isPrevented()).toBe(true);
    await panel.getByRole("button", { name: "Done" }).click();
    expect(await isPrevented()).toBe(false);
    await goTo("/");
  });

  test("a new key names its account, also while another account is chosen", async () => {
    const { page, emulator, goTo } = await openDashboard({ path: "/account/keys" });
    const other = emulator.accounts.create();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByText("The new key of account 1 is ready.").waitFor();
    await page.getByRole("combobox").selectOption(other.account_id);
    await expect.poll(() => page.getByRole("button", { name: /^Disable/ }).count()).toBe(1);
    await page.getByText("The new key of account 1 is ready.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await goTo("/account/accounts");
    await page.getByRole("button", { name: "Create an account…" }).click();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("The new key of account 3 is ready.").waitFor();
  });

  test("the buttons of a key stand side by side beside a key with a long name", async () => {
    const { page, emulator } = await openDashboard({
      path: "/account/keys",
      context: { viewport: { width: 1024, height: 768 } },
    });
    const { key_id: key } = emulator.accounts.createKey(emulator.accountId);
    emulator.accounts.updateKey(emulator.accountId, key, { name: "long ".repeat(20).trim(), disabled: true });
    await page.getByText("responds with 401").waitFor();
    const tops = () =>
      page
        .locator("td .buttons.end")
        .evaluateAll((rows) =>
          rows.map((row) => new Set([...row.children].map((each) => each.getBoundingClientRect().top)).size),
        );
    expect(await tops()).toEqual([1, 1]);
  });

  test("a key is disabled, enabled again, and deleted only after a second word", async () => {
    const { page, api } = await openDashboard({ path: "/account/keys" });
    await page.getByRole("button", { name: /^Disable key/ }).click();
    await page.getByText("disabled", { exact: true }).waitFor();
    expect((await api("GET", "/account/balance")).status).toBe(401);
    await page.getByRole("button", { name: /^Enable key/ }).click();
    await page.getByText("enabled", { exact: true }).waitFor();
    expect((await api("GET", "/account/balance")).status).toBe(200);
    await page.getByRole("button", { name: /^Delete key/ }).click();
    expect((await api("GET", "/account/balance")).status).toBe(200);
    await page.getByRole("button", { name: /permanently$/ }).click();
    await page.getByText("This account has no key").waitFor();
    expect((await api("GET", "/account/balance")).status).toBe(401);
  });

  test("credits are bought by card and by cryptocurrency; a payment is pending until completed, or refused", async () => {
    const { page, emulator } = await openDashboard({ path: "/account" });
    await page.getByLabel("US dollars").fill("2.50");
    await page.getByRole("button", { name: "Buy 250 credits" }).click();
    await page.getByText("Payment completed: 250 credits by card.").waitFor();
    await page.getByLabel("Pay by").selectOption("crypto");
    await page.getByLabel("Result").selectOption("pending");
    await page.getByRole("button", { name: "Buy 250 credits" }).click();
    await page.getByText("Payment pending: 250 credits by crypto.").waitFor();
    expect(emulator.accounts.get(emulator.accountId).balance.available).toBe(350);
    await page.getByRole("button", { name: "Complete" }).click();
    await page.getByText("600 credits available").waitFor();
    await page.getByLabel("Result").selectOption("refused");
    await page.getByRole("button", { name: "Buy 250 credits" }).click();
    await page.getByText("Payment refused: 250 credits by crypto.").waitFor();
    expect(emulator.accounts.get(emulator.accountId).balance.available).toBe(600);
  });

  test("the automatic top-up shows its rules, and requires a card and a new authorization", async () => {
    const { page, emulator, api } = await openDashboard({ path: "/account" });
    const section = page.getByRole("region", { name: "Automatic top-up" });
    await section.getByText("No card is saved").waitFor();
    await expect.poll(() => section.getByRole("button").count()).toBe(0);

    await page.getByRole("button", { name: "Buy 1,000 credits" }).click();
    await edit(section);
    await expect.poll(() => section.getByRole("button", { name: "Switch on" }).isDisabled()).toBe(true);
    await section.getByLabel(/I authorize/).check();
    for (const rule of [
      "At least 50 available credits.",
      "Whole dollars, 10 to 1,000.",
      "Whole dollars, 10 to 10,000, and at least the recharge.",
    ]) {
      await expect.poll(() => section.getByText(rule).isVisible()).toBe(true);
    }
    await section.getByLabel("Threshold").fill("49");
    await section.getByRole("button", { name: "Switch on" }).click();
    expect(await section.getByLabel("Threshold").evaluate((field) => field.matches(":invalid"))).toBe(true);
    await section.getByLabel("Threshold").fill("70");
    await section.getByLabel("Recharge").fill("20");
    await section.getByLabel("Monthly cap").fill("40");
    await section.getByRole("button", { name: "Switch on" }).click();
    await section.getByText("on", { exact: true }).waitFor();
    const amounts = { threshold_credits: 70, recharge_usd: 20, monthly_cap_usd: 40 };
    expect(emulator.accounts.autoTopUp(emulator.accountId)).toMatchObject({ enabled: true, ...amounts });

    await edit(section);
    await expect.poll(() => section.getByLabel(/I authorize/).isChecked()).toBe(false);
    await expect.poll(() => section.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await section.getByRole("button", { name: "refuse" }).click();
    emulator.providers.provider_a.always({ outcome: "hang" });
    for (let count = 0; count < 106; count++) await api("POST", "/task", SONG);
    await section.getByText("A charge was refused: paused until").waitFor();
    await section.getByRole("button", { name: "Switch off" }).click();
    await section.getByText("off", { exact: true }).waitFor();
  });

  test("the automatic top-up shows what another program set, and requires a new authorization", async () => {
    const { page, emulator } = await openDashboard({
      path: "/account",
      prepare: (emulator) => void emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card" }),
    });
    const { accountId: id, accounts } = emulator;
    const set = (threshold_credits: number, recharge_usd: number) =>
      accounts.setAutoTopUp(id, {
        enabled: true,
        threshold_credits,
        recharge_usd,
        monthly_cap_usd: 100,
        ...accounts.authorize(id),
      });
    const section = page.getByRole("region", { name: "Automatic top-up" });
    const amounts = () =>
      Promise.all(
        ["Threshold", "Recharge", "Monthly cap"].map((label) => section.getByLabel(label).inputValue()),
      );
    await edit(section);
    set(70, 20);
    await expect.poll(amounts).toEqual(["70", "20", "100"]);
    await section.getByLabel(/I authorize/).check();
    await section.getByLabel("Monthly cap").fill("40");
    set(80, 30);
    await expect.poll(amounts).toEqual(["80", "30", "40"]);
    await expect.poll(() => section.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await section.getByLabel(/I authorize/).check();
    await section.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(() => accounts.autoTopUp(id))
      .toMatchObject({ threshold_credits: 80, recharge_usd: 30, monthly_cap_usd: 40 });
  });

  test("invoices are disabled with the reason until the required fields are saved", async () => {
    const { page } = await openDashboard({
      path: "/account",
      prepare: (emulator) => void emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card" }),
    });
    const invoice = page.getByRole("button", { name: /\.pdf$/ });
    await expect.poll(() => invoice.isDisabled()).toBe(true);
    await expect.poll(() => invoice.getAttribute("aria-describedby")).toBe("billing-reason");
    await expect
      .poll(() => page.locator("#billing-reason").textContent())
      .toContain("name, address line 1, city and country");

    const form = page.getByRole("region", { name: "Billing information" });
    await edit(form);
    await form.getByLabel("Company or legal name").fill("Fado & Filhos <Lda>");
    await form.getByLabel("Address line 1").fill("Rua da Rosa 1");
    await form.getByLabel("City").fill("Lisboa");
    await form.getByLabel("Country").fill(" ");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").getByText("country").waitFor();
    await form.getByLabel("Country").fill("Portugal");
    await form.getByRole("button", { name: "Save" }).click();

    const link = page.getByRole("link", { name: /\.pdf$/ });
    const url = await link.getAttribute("href");
    const pdf = await page.request.get(new URL(url ?? "", page.url()).href);
    expect(pdf.headers()["content-type"]).toBe("application/pdf");
    expect((await pdf.body()).subarray(0, 5).toString()).toBe("%PDF-");
  });

  test("each field of the billing form is saved under its name, and is shown again", async () => {
    const { page, emulator } = await openDashboard({ path: "/account" });
    const form = page.getByRole("region", { name: "Billing information" });
    const fields = [
      ["Company or legal name", "name", "Fado & Filhos"],
      ["Address line 1", "address_line_1", "Rua da Rosa 1"],
      ["Address line 2", "address_line_2", "3rd floor"],
      ["Postal code", "postal_code", "1200-001"],
      ["City", "city", "Lisboa"],
      ["Country", "country", "Portugal"],
      ["Tax ID", "tax_id", "PT 999"],
    ] as const;
    await edit(form);
    for (const [label, , text] of fields) await form.getByLabel(label).fill(text);
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText(fields.map(([, , text]) => text).join(", ")).waitFor();
    expect(emulator.accounts.billing(emulator.accountId)).toEqual(
      Object.fromEntries(fields.map(([, name, text]) => [name, text])),
    );
    await page.reload();
    await edit(form);
    for (const [label, , text] of fields)
      await expect.poll(() => form.getByLabel(label).inputValue()).toBe(text);
  });

  test.each([
    [
      "no font has",
      'City contains "🎵" (U+1F3B5), which cannot be printed on an invoice. Remove or replace it.',
    ],
    [
      "needs a font that is not installed",
      'City contains "東" (U+6771), which needs a font that is not installed. Install `@fontsource/unifontex`.',
    ],
  ])("text that %s is refused at its field, until the field is changed", async (_, message) => {
    const { page, emulator } = await openDashboard({ path: "/account" });
    const form = page.getByRole("region", { name: "Billing information" });
    const fill = async (values: Record<string, string>) => {
      for (const [label, text] of Object.entries(values)) await form.getByLabel(label).fill(text);
    };
    await edit(form);
    const [, character = ""] = message.match(/"(.+)"/) ?? [];
    await fill({ "Company or legal name": "Łódź", "Address line 1": "12 Улица", Country: "ישראל" });
    await fill({ City: character });
    await form.getByRole("button", { name: "Save" }).click();
    const reason = form.getByRole("alert");
    await expect.poll(() => reason.textContent()).toContain(message);
    const described = await form.getByLabel("City").getAttribute("aria-describedby");
    await expect.poll(() => page.locator(`[id="${described}"]`).textContent()).toContain(message);
    expect(emulator.accounts.billing(emulator.accountId)).toBeNull();
    await fill({ City: "Lisboa" });
    await expect.poll(() => reason.count()).toBe(0);
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Łódź, 12 Улица, Lisboa, ישראל.").waitFor();
  });

  test("what was typed and ticked for one account is not there for another", async () => {
    const { page } = await openDashboard({
      path: "/account",
      prepare({ accounts, accountId }) {
        const other = accounts.create().account_id;
        for (const id of [accountId, other]) accounts.topUp(id, { usd: 10, method: "card" });
      },
    });
    const section = page.getByRole("region", { name: "Automatic top-up" });
    await edit(section);
    const authorization = section.getByLabel(/I authorize/);
    const initial = await section.getByLabel("Threshold").inputValue();
    await authorization.check();
    await section.getByLabel("Threshold").fill("70");
    await page.getByRole("combobox", { name: "Account" }).selectOption({ index: 1 });
    await authorization.waitFor({ state: "detached" });
    await edit(section);
    await expect.poll(() => authorization.isChecked()).toBe(false);
    await expect.poll(() => section.getByLabel("Threshold").inputValue()).toBe(initial);
  });

  test("of an address that no longer exists is not replaced without a word", async () => {
    const path = "/account?account=aaaaaaaa-0000-4000-8000-000000000000";
    const { page, emulator, goTo } = await openDashboard({ path });
    const message = page.getByText(
      "The account aaaaaaaa of this address does not exist. This page shows account 1",
    );
    await message.waitFor();
    await goTo("/scenarios");
    await message.waitFor({ state: "hidden" });
    await goTo(path);
    await page.getByRole("link", { name: "Keep account 1" }).click();
    await message.waitFor({ state: "hidden" });
    expect(page.url()).not.toContain("account=");
    await goTo(`/account?account=${emulator.accountId}`);
    expect(await message.isVisible()).toBe(false);
  });

  test("an account is created, suspended and chosen, and the chosen one stays after a reload", async () => {
    const { page } = await openDashboard({ path: "/account/accounts" });
    await page.getByRole("button", { name: "Create an account…" }).click();
    await page.getByLabel("Starting credits").fill("7");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("article", { name: "The new key" }).waitFor();
    const row = page.getByRole("row", { name: /account 2 .* chosen active 7 0 0 1/ });
    await row.getByRole("button", { name: "Suspend account 2" }).click();
    await page.getByRole("row", { name: /account 2 .* suspended/ }).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("This account is suspended").waitFor();
    await page.reload();
    await page.getByText("This account is suspended").waitFor();
    await page.getByRole("combobox", { name: "Account" }).selectOption({ index: 0 });
    await page.getByText("100 credits available").waitFor();
    await expect.poll(() => page.getByText("This account is suspended").count()).toBe(0);
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.getByRole("link", { name: "Accounts" }).click();
    await page.getByRole("link", { name: "account 2", exact: true }).click();
    await page.getByRole("link", { name: "Billing and payments" }).click();
    await page.getByText("7 credits available, 0 frozen. Statement Suspended.").waitFor();
    await page.getByRole("link", { name: "End the suspension" }).click();
    await page.getByRole("button", { name: "End the suspension of account 2" }).click();
    await page.getByRole("button", { name: "Suspend account 2" }).waitFor();
  });
});
