import { spawn } from "node:child_process";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { UsageError } from "../terminal.js";
import { type Front, listen } from "./front.js";
import type { ClientEnd } from "./run.js";
import type { ScenarioService } from "./service.js";

/** Makes one song with a new service, until it ends or the signal aborts. */
export type Client = (
  createService: (url?: string) => ScenarioService,
  outDirectory: string,
  signal: AbortSignal,
) => Promise<{ service: ScenarioService; ended: ClientEnd }>;

/** A client that is a command. Its requests arrive on a port. */
export function commandClient(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Client {
  return async (createService, outDirectory, signal) => {
    const unready = () => Promise.reject(new Error("The service is not ready."));
    let respond: typeof fetch = unready;
    let respondAsProvider: typeof fetch = unready;
    const fronts = await Promise.all([
      listen((...request) => respond(...request)),
      listen((...request) => respondAsProvider(...request)),
    ]);
    const [api, provider] = fronts;
    try {
      const service = createService(api.origin);
      respond = async (input, init) => atFront(await service.fetch(input, init), provider);
      respondAsProvider = async (input, init) => service.fetch(providerUrl(String(input)), init);
      const variables = {
        ASYNC_MUSIC_BASE_URL: api.origin,
        ASYNC_MUSIC_API_KEY: service.emulator.apiKey,
        ASYNC_MUSIC_OUT_DIR: outDirectory,
      };
      return { service, ended: await runClientCommand(command, { ...env, ...variables }, signal) };
    } finally {
      await Promise.all(fronts.map((front) => front.close()));
    }
  };
}

const PROVIDER_ORIGIN = /https:\/\/provider-[ab]\.test/g;

/** The address of the file that has this address at the front of the providers. */
function providerUrl(url: string): string {
  const { pathname, search } = new URL(url);
  return `https://${pathname.startsWith("/provider_b/") ? "provider-b" : "provider-a"}.test${pathname}${search}`;
}

/** The same JSON, in which the addresses of the providers are those of their front. A body that is cut stays cut. */
function atFront(response: Response, { origin }: Front): Response {
  if (response.body === null || !response.headers.get("Content-Type")?.includes("json")) return response;
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  const replaced = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(
        encoder.encode(decoder.decode(chunk, { stream: true }).replaceAll(PROVIDER_ORIGIN, origin)),
      );
    },
  });
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return new Response(response.body.pipeThrough(replaced), { status: response.status, headers });
}

/** The most characters that are kept of an output: the last ones. */
const KEPT_CHARACTERS = 65_536;

/** How long the output is still read after the client has ended. */
const LAST_OUTPUT_MS = 1000;

async function runClientCommand(
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ClientEnd> {
  const isWindows = process.platform === "win32";
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env,
    // A group of its own, so that what it started can be ended with it.
    detached: !isWindows,
    // Windows finds npm and npx only through its shell.
    shell: isWindows,
  });
  const kill = () => {
    if (isWindows || child.pid === undefined) return void child.kill("SIGKILL");
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group has ended.
    }
  };
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] = (output[name] + text).slice(-KEPT_CHARACTERS);
    });
  signal.addEventListener("abort", kill, { once: true });
  let isStopped = false;
  child.once("exit", () => {
    isStopped = signal.aborted;
    kill();
    // A process that has left the group keeps the streams open.
    setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, LAST_OUTPUT_MS).unref();
  });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error) =>
        reject(new UsageError(`Failed to run ${command}: ${messageOfThrown(error)}.`)),
      );
      child.once("close", (status) => resolve({ status, isStopped, ...output }));
    });
  } finally {
    signal.removeEventListener("abort", kill);
  }
}
