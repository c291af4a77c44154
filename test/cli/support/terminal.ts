import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import { runProgram } from "../../../src/cli/program.js";
import type { EndingSignal, Output, Surroundings } from "../../../src/cli/terminal/surroundings.js";

/** What stands around a command in a test. */
export interface TerminalOptions {
  env?: Record<string, string | undefined>;
  stdin?: string;
  /** Whether stdout and stderr are a terminal. */
  isTerminal?: boolean;
  columns?: number;
}

/** A terminal before an emulator on its virtual clock: commands that wait for minutes end at once. */
export function createTerminal(emulator: Pick<Emulator, "connection">, options: TerminalOptions = {}) {
  const { baseUrl, apiKey, fetch, clock } = emulator.connection();
  const { env = {}, stdin = "", isTerminal = false, columns = 80 } = options;
  const bodies: unknown[] = [];
  const listeners = new Set<(signal: EndingSignal) => void>();

  const run = async (...args: string[]) => {
    const written = { stdout: "", stderr: "" };
    const output = (name: keyof typeof written): Output => ({
      isTerminal,
      columns,
      write(text) {
        written[name] += text;
      },
    });
    const surroundings: Surroundings = {
      env: { ASYNC_MUSIC_API_KEY: apiKey, ASYNC_MUSIC_BASE_URL: baseUrl, ...env },
      stdin: inPieces(stdin),
      stdout: output("stdout"),
      stderr: output("stderr"),
      onSignal(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      client: {
        clock,
        random: () => 0,
        fetch: async (input, init) => {
          const request = new Request(input, init);
          if (request.method === "POST") bodies.push(await request.clone().json());
          return fetch(request);
        },
      },
    };
    const status = await runProgram(args, surroundings);
    return { status, ...written };
  };
  const signal = (name: EndingSignal) => {
    for (const listener of listeners) listener(name);
  };
  return { run, signal, bodies, listeners };
}

/** A folder for the files of one test. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "async-music-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  // In the middle of a character, too.
  for (const byte of new TextEncoder().encode(text)) yield Uint8Array.of(byte);
}
