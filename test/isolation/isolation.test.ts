import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkCompliance, createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { createFolder } from "../support/folder.js";
import { useEmulator } from "./tenant.js";

const PROCESSES = 50;

test("50 parallel test processes on one port each see what they see alone", async () => {
  const script = join(await createFolder(), "run-tenant.mjs");
  const entryPoints = ["test/isolation/run-tenant.ts"];
  await build({ entryPoints, outfile: script, bundle: true, platform: "node", format: "esm" });

  await using emulator = createEmulator({ clock: "virtual" });
  await using server = await serve(emulator);
  const tenants = Array.from({ length: PROCESSES }, (_, variant) => start(script, server.url, variant));
  // All have their account before the first one continues.
  for (const { lines } of tenants) expect((await lines.next()).value).toBe("ready");
  for (const { child } of tenants) child.stdin.write("go\n");

  const together = await Promise.all(
    tenants.map(async ({ lines }) => JSON.parse((await lines.next()).value)),
  );
  const alone = await Promise.all(tenants.map((_, variant) => useAlone(variant)));
  for (const [variant, { seen }] of together.entries())
    expect([variant, JSON.parse(seen)]).toEqual([variant, JSON.parse(alone[variant] ?? "")]);
  expect(new Set(alone).size).toBe(PROCESSES);
  expect(new Set(together.map(({ account_id }) => account_id)).size).toBe(PROCESSES);
  for (const { account_id: accountId, breaks } of together)
    checkCompliance(emulator, { accountId, breaks: breaks ? ["polled_too_often"] : [] });
});

function start(script: string, url: string, variant: number) {
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [script, url, String(variant)], { stdio: [...stdio] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("The process has no pipes.");
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  return { child: { stdin, ended: once(child, "exit") }, lines };
}

async function useAlone(variant: number): Promise<string> {
  await using emulator = createEmulator({ clock: "virtual" });
  const { seen } = await useEmulator(emulator.fetch, emulator.url, variant, async () => {});
  return seen;
}
