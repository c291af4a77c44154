import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { copyDependencies, installPacked } from "../package/outside.js";
import { createFolder, folderOfFile } from "../support/folder.js";
import { orderOnPage } from "../support/order-page.js";

/** A copy of the example outside of the repository, with the packed package. Next.js follows no links out of it. */
const folder = folderOfFile();
let build: { status: number | null; output: string };

const { HOME, PATH } = process.env;
const environment = { HOME, PATH, NEXT_TELEMETRY_DISABLED: "1" };
const next = () => join(folder, "node_modules/next/dist/bin/next");

beforeAll(() => {
  cpSync("examples/next", folder, { recursive: true });
  cpSync("tools/next/node_modules", join(folder, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  installPacked(folder);
  copyDependencies(folder);
  const { status, stdout, stderr } = spawnSync(process.execPath, [next(), "build"], {
    cwd: folder,
    env: environment,
    encoding: "utf8",
  });
  build = { status, output: stdout + stderr };
});

test("the example builds without a key", () => {
  expect(build.status, build.output).toBe(0);
});

test("the example names the packages that are tested", () => {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const { dependencies, devDependencies } = read("examples/next/package.json");
  const { "async-music": _, ...others } = { ...dependencies, ...devDependencies };
  expect(Object.keys(read("tools/next/package.json").dependencies).sort()).toEqual(
    Object.keys(others).sort(),
  );
});

test("without a key it starts, simulates songs, and says what to set", async () => {
  const { url } = await start();
  const page = await (await fetch(url)).text();
  expect(page).toContain("Songs are simulated");
  expect(page).toContain("ASYNC_MUSIC_API_KEY");
  const body = JSON.stringify({ description: "rain in Lisbon" });
  const song = `${url}/api/songs/order-1`;
  expect((await fetch(song, { method: "PUT", body })).status).toBe(202);
  // The routes share one client, so that the song is known to another one.
  const events = await fetch(`${song}/events`);
  const first = await events.body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toContain('"status":"pending"');
});

test("with a key but no address it starts, and the page says what to set", async () => {
  const { url } = await start({ ASYNC_MUSIC_API_KEY: "key_of_a_test" });
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const page = await response.text();
  expect(page).toContain("ASYNC_MUSIC_BASE_URL");
  expect(page).not.toContain("key_of_a_test");
  expect(page).not.toContain("Songs are simulated");
});

test("the page shows the progress of a song, also after a restart of the server, and then plays it", async () => {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ queue_seconds: 0, process_seconds: 1000 });
  const service = await serve(emulator, { port: 0 });
  onTestFinished(() => service.close());
  const journal = await createFolder();
  const variables = {
    ASYNC_MUSIC_API_KEY: emulator.apiKey,
    ASYNC_MUSIC_BASE_URL: service.url,
    SONGS_JOURNAL: journal,
  };
  const { url, kill } = await start(variables);

  const { page, bar, progress, errors } = await orderOnPage(url);

  // The address names the order.
  await page.waitForURL(/#.+/);
  await vi.waitFor(() => expect(emulator.state().tasks).toHaveLength(1), 60_000);
  await bar.waitFor();
  await emulator.clock.advance(400_000);
  await vi.waitFor(async () => expect(await progress()).toBeGreaterThan(0.3), 60_000);
  const first = await progress();
  // The server is killed in the middle, and started again.
  await kill();
  await page.getByText("Waiting for the server").waitFor();
  await start(variables, new URL(url).port);
  await emulator.clock.advance(300_000);
  await vi.waitFor(async () => expect(await progress()).toBeGreaterThan(first + 0.2), 60_000);
  expect(await progress()).toBeLessThan(1);
  // A reload continues with the order in the address.
  await page.reload();
  await emulator.clock.advance(400_000);
  await page.locator("audio").first().waitFor({ timeout: 60_000 });
  expect(await page.locator("audio").count()).toBe(2);
  expect(await bar.count()).toBe(0);

  // The player shows the length of the song, and can seek in it.
  const player = page.locator("audio").first();
  const state = () =>
    player.evaluate(({ duration, currentTime }: HTMLAudioElement) => ({ duration, currentTime }));
  await vi.waitFor(async () => expect((await state()).duration).toBeGreaterThan(10), 60_000);
  expect((await state()).duration).toBeLessThan(1000);
  await player.evaluate(
    (audio: HTMLAudioElement) =>
      new Promise((resolve) => {
        audio.addEventListener("seeked", resolve, { once: true });
        audio.currentTime = 5;
      }),
  );
  expect((await state()).currentTime).toBe(5);

  const source = await page.locator("audio").first().getAttribute("src");
  const audio = await fetch(new URL(source ?? "", url));
  expect(audio.headers.get("Content-Type")).toBe("audio/mpeg");
  expect((await audio.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
  expect(emulator.audit()).toEqual([]);
  expect(emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(errors).toEqual([]);
});

/** Starts the built example, until the test ends. */
async function start(variables: Readonly<Record<string, string>> = {}, port = "0") {
  const server: ChildProcess = spawn(process.execPath, [next(), "start", "--port", port], {
    cwd: folder,
    env: { ...environment, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(server, "exit");
  const kill = async () => {
    if (server.kill("SIGKILL")) await exit;
  };
  onTestFinished(kill);
  let output = "";
  return new Promise<{ url: string; kill: () => Promise<void> }>((resolve, reject) => {
    server.on("exit", () => reject(new Error(`The server has ended: ${output}`)));
    server.stdout?.on("data", (piece) => {
      output += piece;
      const [url] = /http:\/\/localhost:\d+/.exec(output) ?? [];
      if (url !== undefined && output.includes("Ready")) resolve({ url, kill });
    });
  });
}
