import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createEmulator, type Fault } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import worker from "../../examples/cloudflare/worker.js";

type Dispatch = (path: string, init?: { method: string; body: string }) => Promise<Response>;

test("the worker responds with a 202, and streams the song once it is finished", () => delivers(inProcess));

// npm run test:runtimes installs it.
if (existsSync("tools/runtimes/node_modules/miniflare"))
  test("the worker does the same in workerd", () => delivers(inWorkerd));

async function delivers(start: (env: Record<string, string>) => Promise<Dispatch>): Promise<void> {
  const emulator = createEmulator({ clock: "real" });
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  const send = await start({ ASYNC_MUSIC_API_KEY: emulator.apiKey, ASYNC_MUSIC_BASE_URL: url });

  const order = (description: string) =>
    send("/songs", { method: "POST", body: JSON.stringify({ description }) });
  const ordered = await order("rain");
  expect(ordered.status).toBe(202);
  const song = ordered.headers.get("Location") ?? "";
  expect(await (await send(song)).json()).toEqual({ status: "pending", error_code: null });
  expect((await send(`${song}/audio`)).status).toBe(409);

  await emulator.clock.advance(10 * 60_000);
  expect(await (await send(song)).json()).toEqual({ status: "success", error_code: null });
  const audio = await send(`${song}/audio`);
  expect(audio.headers.get("Content-Type")).toBe("audio/mpeg");
  expect((await audio.arrayBuffer()).byteLength).toBeGreaterThan(10_000);

  expect((await order("")).status).toBe(400);
  const failOrder = (fault: Fault) => {
    emulator.faults.add({ method: "POST", path: "/api/v1/task", fault });
    return order("rain");
  };
  expect((await failOrder({ kind: "disconnect", when: "after" })).status).toBe(502);
  expect((await failOrder({ kind: "status", status: 302, when: "after" })).status).toBe(502);
  const cut = await failOrder({ kind: "malformed" });
  expect([cut.status, await cut.json()]).toEqual([202, { id: emulator.state().tasks.at(-1)?.task_id }]);
  const refused = await failOrder({ kind: "status", status: 402, when: "before" });
  expect([refused.status, await refused.json()]).toEqual([503, { error: "InsufficientCreditsError" }]);
  expect((await send("/songs/7c9e6679-7425-40de-944b-e07fc1f90ae7")).status).toBe(404);
  expect((await send("/")).status).toBe(404);
}

async function inProcess(env: Record<string, string>): Promise<Dispatch> {
  const { ASYNC_MUSIC_API_KEY = "", ASYNC_MUSIC_BASE_URL = "" } = env;
  return (path, init) =>
    worker.fetch(new Request(`https://worker.example${path}`, init), {
      ASYNC_MUSIC_API_KEY,
      ASYNC_MUSIC_BASE_URL,
    });
}

async function inWorkerd(bindings: Record<string, string>): Promise<Dispatch> {
  const { Miniflare } = createRequire(resolve("tools/runtimes/package.json"))("miniflare");
  const entryPoints = ["examples/cloudflare/worker.ts"];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", write: false });
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text,
    compatibilityDate: "2026-07-01",
    bindings,
  });
  onTestFinished(() => miniflare.dispose());
  return (path, init) => miniflare.dispatchFetch(`https://worker.example${path}`, init);
}
