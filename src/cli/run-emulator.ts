import { createEmulator, type Emulator } from "../../emulator/index.js";
import { serve } from "../../emulator/node.js";

/** The flags of `async-music emulator`, parsed. */
export interface EmulatorFlags {
  port: number;
  host: string;
  clock: "real" | "virtual";
  seed?: number;
  credits?: number;
  apiKey?: string;
  json: boolean;
}

/** Runs an emulator on a port until the process is told to end, and then ends it with status 0. */
export async function runEmulator({ port, host, json, ...options }: EmulatorFlags): Promise<void> {
  const emulator = createEmulator(options);
  const server = await serve(emulator, { port, host }).catch((error: unknown) => {
    throw new Error(`Failed to listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error });
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void server.close().finally(() => process.exit(0)));
  }
  process.stdout.write(
    json ? describeAsJson(emulator, server.url) : describe(emulator, server.url, options.clock),
  );
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

The account has ${available} credits. The clock is ${clock}. Ctrl+C ends it.
`;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return "the port is taken. Choose another with --port, or 0 for a free one";
  return error instanceof Error ? error.message : String(error);
}
