import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Starts the built command. It is killed when the test ends. */
export function startCommand(
  args: readonly string[],
  { env = process.env, stdin = "" }: { env?: NodeJS.ProcessEnv; stdin?: string } = {},
) {
  const child = spawn(process.execPath, ["dist/cli.js", ...args], {
    // Set by npm, also for the tests.
    env: { ...env, npm_command: undefined },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk) => {
      written[name] += chunk;
    });
  }
  child.stdin.end(stdin);
  const ended = once(child, "close").then(([status, signal]) => ({ status, signal, ...written }));
  /** Resolves when this text is written. */
  const wrote = async (name: keyof typeof written, text: string) => {
    while (!written[name].includes(text)) await once(child[name], "data");
  };
  return { child, written, ended, wrote };
}
