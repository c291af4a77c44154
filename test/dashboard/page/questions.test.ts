import { expect, test } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import type { Locator, Page } from "../../../tools/browser/browser.js";
import { BALANCE, serviceOf } from "../../emulator/support/service.js";
import { LYRICS, openDashboard } from "./support/dashboard.js";

// What a developer asks whose test or script has just failed. Each starts on the first page, and is answered after at most four clicks.

const MOST_CLICKS = 4;

/** Clicks and typed lines, each counted. */
interface Hand {
  click(target: Locator): Promise<void>;
  type(target: Locator, text: string): Promise<void>;
}

interface Scene {
  page: Page;
  emulator: Emulator;
  hand: Hand;
  /** The task that was polled too often. */
  hasty: string;
  /** The name of the key that got the 429s. */
  limitedKey: string;
}

/** A song that failed, hasty polls, a 402, 429s of one key, and a request whose response was lost. */
async function playScene(): Promise<Scene> {
  const { page, emulator, api, submit } = await openDashboard({
    emulator: { credits: 25, limits: { requests: 30, windowSeconds: 60 } },
  });
  emulator.providers.provider_a.next({
    outcome: "failure",
    error_code: "content_moderation",
    process_seconds: 5,
  });
  const failed = await submit(LYRICS);
  await emulator.clock.advance(20_000);
  await api("GET", `/task/${failed}`);
  const hasty = await submit(LYRICS);
  await api("GET", `/task/${hasty}`);
  await emulator.clock.advance(120);
  await api("GET", `/task/${hasty}`);
  await emulator.clock.advance(300_000);
  await api("GET", `/task/${hasty}`);
  for (let count = 0; count < 4; count++) await submit(LYRICS);
  await api("POST", "/task", LYRICS);
  const other = emulator.accounts.createKey(emulator.accountId);
  const { get } = serviceOf(emulator, { apiKey: other.api_key });
  for (let count = 0; count < 33; count++) await get(BALANCE);
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "before" } });
  await api("POST", "/task", LYRICS).catch(() => {});
  let clicks = 0;
  const count = () => expect(++clicks).toBeLessThanOrEqual(MOST_CLICKS);
  const hand: Hand = {
    async click(target) {
      count();
      await target.click();
    },
    async type(target, text) {
      count();
      await target.fill(text);
    },
  };
  await page.getByRole("heading", { name: "Latest problems" }).waitFor();
  return { page, emulator, hand, hasty, limitedKey: `emu_…${other.api_key.slice(-4)}` };
}

const navigate = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });

const QUESTIONS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "Why was my request refused?": async ({ page }) => {
    const problem = page.locator(".problems li", { hasText: "402 insufficient_credits" });
    await problem
      .getByText(/credits?/)
      .first()
      .waitFor();
  },

  "Which request got no response, and what did it send?": async ({ page, hand }) => {
    await hand.click(page.locator(".problems li", { hasText: "disconnect" }).getByRole("link"));
    await page.getByLabel("Request body").getByText("a lighthouse").waitFor();
  },

  "Which of my polls were too fast, and by how much?": async ({ page, hand, hasty }) => {
    await hand.click(page.locator(".figures").getByRole("link", { name: "Findings" }));
    const row = page.getByRole("row", { name: new RegExp(hasty.slice(0, 8)) });
    await row.getByText("120 ms", { exact: true }).waitFor();
  },

  "Which key exceeds the rate limit?": async ({ page, hand, limitedKey }) => {
    await hand.click(page.locator(".figures").getByRole("link", { name: "429" }));
    await page.getByText("3 requests", { exact: true }).waitFor();
    const keys = page.locator(".rows .body").getByRole("link", { name: limitedKey });
    await expect.poll(() => keys.count()).toBe(3);
  },

  "Why did my task fail, and were the credits refunded?": async ({ page, hand }) => {
    await hand.click(page.locator(".figures").getByRole("link", { name: "Failed tasks" }));
    await hand.click(page.locator(".rows .body").getByRole("link"));
    await page.getByText("content_moderation").first().waitFor();
    await page.getByText("5 credits refunded").waitFor();
  },

  "How long did a finished task wait until my program noticed?": async ({ page, hand }) => {
    await hand.click(navigate(page, "Tasks"));
    await hand.click(page.getByLabel("Draw to scale"));
    await page.getByText(/^Tasks that had ended waited \d/).waitFor();
  },

  "Which requests belong to one task?": async ({ page, hand }) => {
    await hand.click(page.locator(".figures").getByRole("link", { name: "Failed tasks" }));
    await hand.click(page.locator(".rows .body").getByRole("link"));
    await hand.click(page.getByRole("link", { name: "Its requests" }));
    await page.getByText("2 requests", { exact: true }).waitFor();
  },

  "What is different between two requests?": async ({ page, hand }) => {
    await hand.click(page.locator(".problems li", { hasText: "402" }).getByRole("link").first());
    await hand.click(page.getByRole("link", { name: "Compare with…" }));
    await hand.click(page.getByRole("link", { name: /Open POST/ }).last());
    const status = page.getByRole("region", { name: "Comparison" }).getByRole("row", { name: /^status/ });
    await expect.poll(() => status.locator("mark").allTextContents()).toEqual(["402", "202"]);
  },

  "Where did my credits go?": async ({ page, hand }) => {
    await hand.click(page.getByRole("link", { name: "Statement" }));
    await page.getByRole("row", { name: /Refunded for task .*\+5/ }).waitFor();
    await page.getByRole("row", { name: /Settled for task/ }).waitFor();
  },

  "What happens in eight days?": async ({ page, emulator, hand }) => {
    const before = emulator.clock.now();
    await hand.click(page.getByRole("button", { name: /Advance the time/ }));
    await hand.type(page.locator(".popover input").first(), "8d");
    await hand.click(page.getByRole("button", { name: "Advance", exact: true }));
    await expect.poll(() => emulator.clock.now() - before).toBe(8 * 86_400_000);
  },
};

test.each(Object.entries(QUESTIONS))(
  `%s is answered after at most ${MOST_CLICKS} clicks`,
  async (_, answer) => {
    await answer(await playScene());
  },
);
