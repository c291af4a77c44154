import fc from "fast-check";
import { expect, test } from "vitest";
import type { Page } from "../../../tools/browser/browser.js";
import { histories, type Player, startOfMonth, sumsOf, take } from "../../emulator/support/histories.js";
import { openDashboard } from "./support/dashboard.js";

const ACCOUNTS = 5;
const CREDITS = 40;
/** Histories buy other amounts by hand. */
const RECHARGES = [1000, 1500];

test("the figures of every account agree with its ledger after any history", async () => {
  const all = fc.array(histories({ maxSteps: 25 }), { minLength: ACCOUNTS, maxLength: ACCOUNTS });
  const property = fc.asyncProperty(all, async (drawn) => {
    const players: Player[] = [];
    const { page, goTo, emulator } = await openDashboard({
      emulator: { credits: CREDITS, limits: { requests: 1_000_000 } },
      context: { timezoneId: "America/St_Johns" },
      async prepare(emulator) {
        for (const history of drawn) {
          const { account_id: id, api_key: apiKey } = emulator.accounts.create({ credits: CREDITS });
          const player = { emulator, id, apiKey };
          for (const step of history) await take(step, player);
          players.push(player);
        }
      },
    });
    for (const { id } of players) {
      const { ledger } = emulator.accounts.get(id);
      const sums = sumsOf(ledger);
      await goTo(`/account/statement?account=${id}`);
      await expect
        .poll(() => figuresOf(page))
        .toEqual({
          Available: count(sums.available),
          Frozen: count(sums.frozen),
          Settled: count(sums.settled),
          "Topped up": count(sums.toppedUp),
          Tasks: count(sums.tasks),
        });
      const balance = `${count(sums.available)} available and ${count(sums.frozen)} frozen`;
      await page.getByRole("img", { name: `at last ${balance}` }).waitFor();
      const statement = ledger.map(({ at }, index) => {
        const { available, frozen } = sumsOf(ledger.slice(0, index + 1));
        return [at.slice(0, 19).replace("T", " "), count(available), count(frozen)];
      });
      await expect.poll(() => statementOf(page)).toEqual(statement.reverse().slice(0, 4));

      await goTo(`/account?account=${id}`);
      const credits = sums.available === 1 ? "credit" : "credits";
      await page
        .getByText(`${count(sums.available)} ${credits} available, ${count(sums.frozen)} frozen.`)
        .waitFor();
      const month = startOfMonth(emulator.clock.now());
      const charges = ledger.filter(
        ({ at, kind, credits }) =>
          kind === "top_up" && RECHARGES.includes(credits) && Date.parse(at) >= month,
      );
      const charged = charges.reduce((sum, { credits }) => sum + credits / 100, 0);
      await page.getByText(` $${count(charged)}.00 charged this month.`).waitFor();
      const invoices = ledger.filter(({ kind }) => kind === "top_up").length - 1;
      await page.getByLabel("State").selectOption("completed");
      await page.getByText(`${invoices} payment${invoices === 1 ? "" : "s"}`, { exact: true }).waitFor();
    }
  });
  await fc.assert(property, { numRuns: 1, endOnFailure: true });
});

const count = (value: number) => value.toLocaleString("en-US");

async function figuresOf(page: Page): Promise<Record<string, string | null | undefined>> {
  const pairs = await page
    .locator(".figures div")
    .evaluateAll((all) =>
      all.map((each) => [each.querySelector("dt")?.textContent, each.querySelector("strong")?.textContent]),
    );
  return Object.fromEntries(pairs);
}

/** The time and the balance of the newest movements. */
function statementOf(page: Page) {
  return page.getByRole("table", { name: "Statement" }).evaluate((table) =>
    [...table.querySelectorAll(".body [role=row]")].slice(0, 4).map((row) => {
      const texts = [...row.querySelectorAll("[role=cell]")].map((cell) => cell.textContent);
      return [texts[0], texts[3], texts[4]];
    }),
  );
}
