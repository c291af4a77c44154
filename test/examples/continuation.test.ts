import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test } from "vitest";
import { createFolder } from "../support/folder.js";

test("a program of three steps that is killed after each of them is charged for three tasks", async () => {
  const emulator = createEmulator({ clock: "real" });
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  emulator.providers.provider_a.always({ queue_seconds: 0, process_seconds: 1 });
  const cwd = await createFolder();
  const env = { ...process.env, ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey };

  /** Starts the program, and kills it when it writes a line that begins with this. */
  async function runUntil(beginning: string) {
    const program = spawn(process.execPath, [resolve("examples/continuation.ts")], { cwd, env });
    onTestFinished(() => void program.kill("SIGKILL"));
    program.stderr.resume();
    const exit = once(program, "exit");
    const lines: string[] = [];
    for await (const line of createInterface(program.stdout)) {
      lines.push(line);
      if (line.startsWith(beginning)) program.kill("SIGKILL");
    }
    await exit;
    return lines;
  }

  await runUntil("Uploaded");
  await runUntil("Continued");
  const lines = await runUntil("It cost");
  expect(lines.at(-1)).toBe("It cost 16 credits.");
  expect(emulator.state().tasks.map(({ type }) => type)).toEqual(["upload", "music", "concat"]);
  expect(emulator.audit()).toEqual([]);
});
