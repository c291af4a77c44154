import { expect, test } from "vitest";
import { serviceOf } from "../../emulator/support/service.js";
import { LYRICS, openDashboard } from "./support/dashboard.js";

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka, brass", title: "Tuba" } };

async function openTask(body: unknown, outcome: object = {}) {
  const dashboard = await openDashboard({
    prepare: ({ providers }) => providers.provider_a.always({ process_seconds: 20, ...outcome }),
  });
  const taskId = await dashboard.submit(body);
  await dashboard.emulator.clock.advance(30_000);
  await dashboard.api("GET", `/task/${taskId}`);
  await dashboard.goTo(`/tasks/${taskId}`);
  return { ...dashboard, taskId };
}

test("a task is shown, and run again, in its own account", async () => {
  const { page, emulator, goTo } = await openDashboard();
  const other = emulator.accounts.create({ credits: 20 });
  await goTo(`/tasks/${await serviceOf(emulator, { apiKey: other.api_key }).create(SONG)}`);
  await expect.poll(() => page.getByLabel("Account").inputValue()).toBe(other.account_id);
  await page.getByRole("button", { name: "Run again" }).click();
  await expect.poll(() => page.getByLabel("Styles", { exact: true }).inputValue()).toBe("polka, brass");
  await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Tuba");
  await page.getByRole("button", { name: "Submit for 10 credits" }).click();
  await expect.poll(() => emulator.accounts.get(other.account_id).balance.frozen).toBe(20);
});

test("a clip leads to its continuation and to a concatenation", async () => {
  const { page, emulator, taskId } = await openTask(SONG);
  const { output } = await emulator.when(taskId, "success");
  const [clip] = Object(output).result;
  await page.getByRole("button", { name: "Continue this clip" }).first().click();
  await expect.poll(() => page.getByLabel(/^Clip ID/).inputValue()).toBe(clip.id);
  await expect.poll(() => page.getByLabel("Result").inputValue()).toBe("continuation");
  await page.goBack();
  await page.getByRole("button", { name: "Concatenate" }).first().click();
  await expect.poll(() => page.getByLabel("Task", { exact: true }).inputValue()).toBe("concat");
  await page.getByRole("button", { name: "Submit for 5 credits" }).click();
  await page.getByText("provider_a concat", { exact: true }).waitFor();
});

test("lyrics can be copied, and made into a song", async () => {
  const { page, emulator, taskId } = await openTask(LYRICS);
  const { output } = await emulator.when(taskId, "success");
  const { title, text } = Object(output).result;
  await page.getByRole("button", { name: "Copy lyrics" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  await page.getByRole("button", { name: "Make a song from these lyrics" }).click();
  await expect.poll(() => page.getByLabel("Lyrics").inputValue()).toBe(text);
  await expect.poll(() => page.getByLabel("Title").inputValue()).toBe(title);
});

test("only one player plays at a time", async () => {
  const { page } = await openTask(SONG);
  await page.locator("svg.waveform").nth(1).waitFor();
  const players = page.locator("audio");
  const play = (index: number) => players.nth(index).evaluate((audio: HTMLAudioElement) => audio.play());
  const paused = () => players.evaluateAll((all) => all.map((audio) => (audio as HTMLAudioElement).paused));
  await play(0);
  expect(await paused()).toEqual([false, true]);
  await play(1);
  await expect.poll(paused).toEqual([true, false]);
});

test("a task without clips has no time left for its audio", async () => {
  const { page } = await openTask(SONG, { clips: 0 });
  await page.getByText("has no clips").waitFor();
  await expect.poll(() => page.getByText(/of 7 days left/).count()).toBe(0);
});

test("the timeline shows on one axis, to scale, how late a read discovered the end, and leads to the requests", async () => {
  const { page, taskId } = await openTask(LYRICS);
  await page.getByText("10 seconds ended, but no read had discovered it").waitFor();
  const shares = await page
    .locator(".timeline li")
    .evaluateAll((all) => all.map((each) => Number(getComputedStyle(each).getPropertyValue("--share"))));
  expect(shares.filter((share) => share > 0).map((share) => Math.round(100 * share))).toEqual([67, 33]);
  await page.getByRole("link", { name: "Its requests" }).click();
  await page.getByText("2 requests", { exact: true }).waitFor();
  expect(page.url()).toContain(`task%3A${taskId}`);
});

test("the timeline groups many reads with their statuses, but not the one that discovered the end", async () => {
  const { page, api, submit, goTo, emulator } = await openDashboard({
    emulator: { limits: { requests: 20, windowSeconds: 60 } },
    prepare: ({ providers }) => providers.provider_a.always({ process_seconds: 20 }),
  });
  const taskId = await submit(LYRICS);
  await emulator.clock.advance(1000);
  for (let count = 0; count < 60; count++) await api("GET", `/task/${taskId}`);
  await emulator.clock.advance(60_000);
  await api("GET", `/task/${taskId}`);
  await goTo(`/tasks/${taskId}`);
  const group = page.getByText("Read 59 more times");
  await group.waitFor();
  await page.getByText("· discovered the end").waitFor();
  const texts = await page.locator(".timeline li").allTextContents();
  const index = texts.findIndex((text) => text.includes("Read 59 more times"));
  expect(texts[index]).toMatch(/18 × 200, 41 × 429.*after 1 second/);
  expect(texts.slice(index + 1).join()).toMatch(/^Ended: success.*,Read 200 · \S+ · discovered the end/);
  await group.click();
  await page.getByText("62 requests", { exact: true }).waitFor();
});

test("a task that ended without a read says that the task timeout refunded it", async () => {
  const { page, emulator, submit, goTo } = await openDashboard({
    prepare: ({ providers }) => providers.provider_a.always({ process_seconds: 12 }),
  });
  const taskId = await submit(LYRICS);
  await emulator.clock.advance(3_700_000);
  await goTo(`/tasks/${taskId}`);
  const events = page.getByRole("region", { name: "Timeline" }).locator("li");
  await events.getByText("ended, but not read; the task timeout refunded it").waitFor();
  const texts = await events.allTextContents();
  expect(texts.at(-2)).toMatch(/^Ended: timeout \(never read\)/);
  expect(texts.at(-1)).toMatch(/^5 credits refunded by the task timeout/);
});
