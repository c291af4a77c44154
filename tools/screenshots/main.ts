/** Photographs every view of the built dashboard into `docs/images`, in both themes: `npm run screenshots`. */

import { mkdirSync, writeFileSync } from "node:fs";
import { AsyncMusic } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { launchBrowser, type Page } from "../browser/browser.ts";

const folder = process.env["SCREENSHOTS"] ?? "docs/images";
const quality = 60;

await using emulator = createEmulator({ clock: "virtual", seed: 7, credits: 400 });
const taskId = await furnish(emulator);
const server = await serve(emulator);
const browser = await launchBrowser();
mkdirSync(folder, { recursive: true });

/** The request whose response was lost. */
const lost = emulator.requests.findIndex(({ status }) => status === null) + 1;
const views = {
  overview: "",
  tasks: "tasks",
  task: `tasks/${taskId}`,
  "new-task": "tasks/new",
  runs: "tasks?view=scale",
  requests: "requests",
  request: `requests?open=${lost}`,
  account: "account",
  keys: "account/keys",
  accounts: "account/accounts",
  statement: "account/statement",
  scenarios: "scenarios",
};
for (const theme of ["light", "dark"] as const) {
  const page = await browser.newPage({ colorScheme: theme, viewport: { width: 1120, height: 800 } });
  for (const [name, path] of Object.entries(views)) {
    await page.goto(`${server.url}/#/${path}`);
    await page.reload();
    await page.waitForSelector("main[data-ready=true]");
    if (name === "task") await page.waitForSelector("svg.waveform");
    await page.waitForTimeout(1500);
    writeFileSync(`${folder}/dashboard-${name}-${theme}.webp`, await photograph(page));
  }
  await page.close();
}
await browser.close();
await server.close();

/** Converts to WebP, which is much smaller than PNG. */
async function photograph(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
  return Buffer.from(data, "base64");
}

/** Creates the data in the screenshots: songs, failures, broken rules, and unused faults. */
async function furnish(world: Emulator): Promise<string> {
  const client = new AsyncMusic(world.connection());
  const song = { model: "provider_a", task_type: "music" } as const;
  for (const description of [
    "fado for a night tram",
    "a brass band that lost its tuba",
    "slow jazz on a ferry",
  ]) {
    await client.tasks.run({ ...song, input: { gpt_description_prompt: description } });
    await world.clock.advance(900_000);
  }
  await client.tasks.run({ model: "provider_b", task_type: "music", input: { prompt: "calm and wide" } });
  world.accounts.topUp(world.accountId, { usd: 2, method: "card" });
  world.accounts.topUp(world.accountId, { usd: 5, method: "crypto", outcome: "pending" });
  world.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  await client.tasks.run({ ...song, input: { tags: "polka" } }).catch(() => {});
  await world.clock.advance(1_800_000);
  const rain = await client.tasks.run({
    ...song,
    audio_format: "mp3",
    input: { gpt_description_prompt: "rain in Lisbon" },
  });
  await client.tasks.run({
    model: "provider_a",
    task_type: "lyrics",
    input: { prompt: "a lighthouse afraid of the dark" },
  });
  const { task_id: open } = await client.tasks.create({ ...song, input: { tags: "sea shanty" } });
  await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      client.tasks.run({ ...song, input: { tags: `waltz ${index + 1}` } }),
    ),
  );
  const read = () =>
    world.fetch(`${world.url}/api/v1/task/${open}`, { headers: { "x-api-key": world.apiKey } });
  for (let times = 0; times < 3; times++) await read();
  await world.fetch(`${world.url}/api/v1/account/balance`);
  const lost = { kind: "disconnect", when: "after" } as const;
  world.faults.add({ method: "POST", path: "/api/v1/task", fault: lost });
  await client.tasks.create({ ...song, input: { tags: "bossa nova" } }).catch(() => {});
  world.faults.add({ method: "POST", path: "/api/v1/task", fault: lost });
  world.providers.provider_b.always({ outcome: "hang" });
  return rain.task_id;
}
