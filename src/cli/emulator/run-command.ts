import { spawn } from "node:child_process";
import { constants } from "node:os";

/** What a shell says of a command that it can't find, or can't run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a command to its end, with some variables added to its environment, and answers its exit status: that of a
 * command which a signal ended is 128 and the signal's number, as in a shell. Signals that come meanwhile are its own.
 */
export async function runCommand(
  [command = "", ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  // Windows finds npm, npx and their like only by way of its shell.
  const child = spawn(command, args, {
    stdio: "inherit",
    env: { ...process.env, ...variables },
    shell: process.platform === "win32",
  });
  const forwards = FORWARDED.map((signal) => {
    const forward = () => {
      // A terminal has already told all of its processes.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  try {
    return await new Promise((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === "ENOENT";
        const reason = isMissing ? "there is no such command" : error.message;
        process.stderr.write(`async-music: Failed to run ${command}: ${reason}\n`);
        resolve(isMissing ? NOT_FOUND : NOT_RUNNABLE);
      });
      child.once("exit", (status, signal) => resolve(status ?? statusOf(signal)));
    });
  } finally {
    for (const stop of forwards) stop();
  }
}

function statusOf(signal: NodeJS.Signals | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}
