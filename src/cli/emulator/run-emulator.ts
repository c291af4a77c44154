import { createEmulator, type Emulator, type EmulatorOptions } from "../../../emulator/index.js";
import { serve } from "../../../emulator/node.js";
import { ENDING_SIGNALS } from "../terminal/surroundings.js";
import { UsageError } from "../usage-error.js";
import { runCommand } from "./run-command.js";
import { cannot, loadState, saveState } from "./state-file.js";

/** The flags of `async-music emulator`, parsed. */
export interface EmulatorFlags {
  /** Without it: 4010, and a free one for a command. */
  port?: number;
  host: string;
  controlHost?: string[];
  clock: "real" | "virtual";
  seed?: number;
  credits?: number;
  apiKey?: string;
  state?: string;
  json: boolean;
}

const USUAL_PORT = 4010;

/**
 * Runs an emulator on a port: until the process is told to end, which is status 0; or for as long as a command runs,
 * whose exit status is the answer.
 */
export async function runEmulator(flags: EmulatorFlags, command: readonly string[] | null): Promise<number> {
  const { host, controlHost, json, state, clock, port = command === null ? USUAL_PORT : 0 } = flags;
  const emulator = await openEmulator(flags);
  const server = await serve(emulator, { port, host, controlHost }).catch((error: unknown) => {
    if (error instanceof RangeError) throw error;
    throw new Error(`Failed to listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error });
  });
  if (!/^(localhost|127\..*|::1)$/i.test(host)) process.stderr.write(reachabilityWarning(flags, server.url));
  const told = command === null ? untilTold() : null;
  if (json) process.stdout.write(describeAsJson(emulator, server.url));
  else if (command === null) process.stdout.write(describe(emulator, server.url, clock));

  const variables = { ASYNC_MUSIC_BASE_URL: server.url, ASYNC_MUSIC_API_KEY: emulator.apiKey };
  const status = command === null ? await told : await runCommand(command, variables);
  await server.close();
  if (state !== undefined) await saveState(state, emulator.snapshot());
  return status ?? 0;
}

function reachabilityWarning({ host, controlHost }: EmulatorFlags, url: string): string {
  const { port } = new URL(url);
  const control =
    controlHost === undefined
      ? "The control plane and the dashboard answer this machine alone; --control-host opens them."
      : `With the host name ${controlHost.join(" or ")}, they can also use the control plane and the dashboard, without a key.`;
  return `async-music: Warning: with --host ${host}, other machines can reach port ${port}. ${control}\n`;
}

/** An emulator that goes on from the state file, if there is one. */
async function openEmulator({ clock, seed, credits, apiKey, state }: EmulatorFlags): Promise<Emulator> {
  const options: EmulatorOptions = { clock, seed, credits, apiKey };
  const snapshot = state === undefined ? undefined : await loadState(state);
  if (state === undefined) return createEmulator(options);
  if (snapshot === undefined) {
    const emulator = createEmulator(options);
    // A place where nothing can be saved is known before anything is lost.
    await saveState(state, emulator.snapshot());
    return emulator;
  }
  for (const [flag, value] of Object.entries({ seed, credits })) {
    if (value === undefined) continue;
    throw new UsageError(
      `Expected no \`--${flag}\` beside the state in ${state}, which has its own: leave it out, or name another file`,
    );
  }
  // A key that can't be one is the flag's fault, and not the file's.
  createEmulator(options);
  try {
    return createEmulator({ ...options, snapshot });
  } catch (error) {
    throw cannot("open", state, error);
  }
}

/** Resolves when the process is told to end. Who tells it again does not cut the ending short. */
function untilTold(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ENDING_SIGNALS) process.on(signal, () => resolve(0));
  });
}

function describeAsJson({ apiKey, accountId }: Emulator, url: string): string {
  const line = { url, api_key: apiKey, account_id: accountId, dashboard_url: `${url}/` };
  return `${JSON.stringify(line)}\n`;
}

function describe({ apiKey, accountId, accounts }: Emulator, url: string, clock: string): string {
  const { available } = accounts.get(accountId).balance;
  return `The music service is at ${url}, and bills nobody. To use it:

  export ASYNC_MUSIC_BASE_URL=${url}
  export ASYNC_MUSIC_API_KEY=${apiKey}

See and steer it at ${url}/. The account has ${available} credits. The clock is ${clock}. Ctrl+C ends it.
`;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return "the port is taken. Choose another with --port, or 0 for a free one";
  return error instanceof Error ? error.message : String(error);
}
