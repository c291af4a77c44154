import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { constants } from "node:os";
import { InvalidValueError } from "../emulator/core/checks.js";
import { createEmulator, type Emulator, type EmulatorOptions, type Snapshot } from "../emulator/index.js";
import { serve } from "../emulator/node.js";
import { messageOf, textOf } from "../src/contract/message.js";
import { messageOfThrown } from "../src/contract/thrown.js";
import { ignoring, PRIVATE_FILE, writeNewFile, writeWholeFile } from "../src/node/durable.js";
import { openSeedFile } from "./seed-file.js";
import { ENDING_SIGNALS, UsageError } from "./terminal.js";

export interface EmulatorFlags
  extends Pick<EmulatorOptions, "seed" | "future" | "credits" | "policy" | "apiKey"> {
  /** Default: 4010, or a free port if a command is run. */
  port?: number;
  host: string;
  allowHost?: string[];
  clock: "real" | "virtual";
  state?: string;
  seedFile?: string;
  json?: boolean;
}

const DEFAULT_PORT = 4010;

/** The exit statuses of a shell for a command that does not exist, or can't be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

/** Runs an emulator on a port until a signal ends it, or until `command` ends. Returns the exit status. */
export async function runEmulator(flags: EmulatorFlags, command: readonly string[] | null): Promise<number> {
  const { host, allowHost, json, state, port = command === null ? DEFAULT_PORT : 0 } = flags;
  // Before the start: the first process of a container ignores signals without a listener.
  const untilEnd = command === null ? listenForSignals() : runCommand.bind(null, command);
  const emulator = await openEmulator(flags).catch(asUsageError);
  if (state !== undefined) await checkDirectoryOf(state);
  const server = await serve(emulator, { port, host, allowHost }).catch((error: unknown) => {
    if (error instanceof RangeError) return asUsageError(error);
    const isTaken = Object(error).code === "EADDRINUSE";
    const reason = isTaken
      ? "the port is taken. Choose another --port, or pass 0 for a free one."
      : messageOfThrown(error);
    throw new Error(`Failed to listen on ${host}:${port}: ${reason}`, { cause: error });
  });
  const { url } = server;
  const { accountId, apiKey } = emulator;
  if (!/^(localhost|127\..*|::1)$/i.test(host)) process.stderr.write(reachabilityWarning(flags, url));

  const line = { url, api_key: apiKey, account_id: accountId, dashboard_url: `${url}/` };
  if (json) process.stdout.write(`${JSON.stringify(line)}\n`);
  else if (command === null) process.stdout.write(introduction(emulator, url, flags.clock));
  const variables = { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: apiKey };
  const ended = await untilEnd(variables);
  await server.close();
  // A command that can't be run is a failed start: it leaves no state file, and changes none.
  if (state !== undefined && ended.hasRun) await saveState(state, emulator.snapshot());
  return ended.status;
}

/** An emulator that continues from the state file, if it exists. */
async function openEmulator(flags: EmulatorFlags): Promise<Emulator> {
  const { clock, seed, future, credits, policy, apiKey, state, seedFile } = flags;
  const options: EmulatorOptions = { clock, seed, future, credits, policy, apiKey };
  // Also before a file is used: an invalid key is the flag's fault, not the file's.
  const empty = createEmulator(options);
  const emulator = seedFile === undefined ? empty : await openSeedFile(seedFile, options);
  if (state === undefined) return emulator;
  const text = await readFile(state, "utf8").catch(ignoring("ENOENT")).catch(failedTo("read", state));
  if (text === undefined) return emulator;
  const [refused] =
    Object.entries({ seed, future, credits, policy, "seed-file": seedFile }).find(
      ([, value]) => value !== undefined,
    ) ?? [];
  if (refused !== undefined)
    throw new UsageError(
      `--${refused} can't be combined with the existing state file ${state}. Remove the flag, or use another file.`,
    );
  try {
    return createEmulator({ ...options, snapshot: JSON.parse(text) });
  } catch (cause) {
    const why = `it is not the state of an emulator: ${messageOfThrown(cause)}`;
    const advice = ["Delete it, or choose another file."];
    throw new Error(messageOf({ what: `Failed to open ${state}`, why, advice }), { cause });
  }
}

/** Fails now, and not at exit, if no file can be written beside the state file. Leaves no file. */
async function checkDirectoryOf(path: string): Promise<void> {
  // A random name: no link to another file can be prepared at it.
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeNewFile(draft, "", PRIVATE_FILE).catch(failedTo("save", path));
  await rm(draft, { force: true });
}

/** Replaces the file at once, so that a crash leaves the old one or the new one. */
async function saveState(path: string, snapshot: Snapshot): Promise<void> {
  const write = (draft: string) => writeNewFile(draft, JSON.stringify(snapshot), PRIVATE_FILE);
  await writeWholeFile(path, write, { overwrite: true }).catch(failedTo("save", path));
}

function failedTo(verb: string, path: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(`Failed to ${verb} the state in ${path}: ${messageOfThrown(cause)}`, { cause });
  };
}

/** The emulator refuses an option, which was a flag. */
function asUsageError(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  throw new UsageError(error instanceof InvalidValueError ? textOf(error.text, flagOf) : error.message);
}

/** How an option of the emulator is given in a shell: `policy.audio_conversion` is `--policy audio_conversion`. */
function flagOf(name: string): string {
  const [option = "", ...rest] = name.split(".");
  const flag = FLAGS[option];
  return flag === undefined ? `\`${name}\`` : [flag, ...rest].join(" ");
}

const FLAGS: Readonly<Record<string, string>> = {
  apiKey: "--api-key",
  host: "--host",
  allowHost: "--allow-host",
  policy: "--policy",
};

function reachabilityWarning({ host, allowHost }: EmulatorFlags, url: string): string {
  const control =
    allowHost === undefined
      ? "Only this machine can use the control plane and the dashboard. --allow-host allows others."
      : `Under the host name ${allowHost.join(" or ")}, they can also use the control plane and the dashboard, without a key.`;
  return `async-music: Warning: with --host ${host}, other machines can reach port ${new URL(url).port}. ${control}\n`;
}

function introduction({ apiKey, accountId, accounts }: Emulator, url: string, clock: string): string {
  const { available } = accounts.get(accountId).balance;
  return `The emulated music service runs at ${url} and charges nothing. To use it:

  export ASYNC_MUSIC_BASE_URL=${url}
  export ASYNC_MUSIC_API_KEY=${apiKey}

The account has ${available} credits. The clock is ${clock}. Press Ctrl+C to stop. The dashboard:

  ${url}/
`;
}

interface EmulatorEnd {
  readonly status: number;
  /** Whether the emulator was in use until then: without a command, or with one that could be run. */
  readonly hasRun: boolean;
}

/** The function it returns resolves at the first signal. A second one does not interrupt saving the state. */
function listenForSignals(): () => Promise<EmulatorEnd> {
  const ended = new Promise<EmulatorEnd>((resolve) => {
    for (const signal of ENDING_SIGNALS) process.on(signal, () => resolve({ status: 0, hasRun: true }));
  });
  return () => ended;
}

/** Runs a command. Signals are forwarded to it. Returns its exit status; after a signal 128 and its number, as a shell. */
async function runCommand(
  [command = "", ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<EmulatorEnd> {
  const child = spawn(command, args, {
    stdio: "inherit",
    env: { ...process.env, ...variables },
    // Windows finds npm and npx only through its shell.
    shell: process.platform === "win32",
  });
  const forward = (signal: NodeJS.Signals) => {
    // A terminal sends SIGINT to all its processes itself.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, forward);
  try {
    return await new Promise((resolve) => {
      child.once("error", (error) => {
        const isMissing = Object(error).code === "ENOENT";
        const reason = isMissing ? "the command was not found." : error.message;
        process.stderr.write(`async-music: Failed to run ${command}: ${reason}\n`);
        resolve({ status: isMissing ? NOT_FOUND : NOT_RUNNABLE, hasRun: false });
      });
      child.once("exit", (status, signal) =>
        resolve({
          status: status ?? 128 + (signal === null ? 0 : constants.signals[signal]),
          hasRun: true,
        }),
      );
    });
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, forward);
  }
}
