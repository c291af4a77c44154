import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect } from "vitest";
import { runProgram } from "../../../cli/program.js";
import type { EndingSignal, Output, Terminal } from "../../../cli/terminal.js";
import { createEmulator, type Emulator } from "../../../emulator/index.js";
import { createFolder } from "../../support/folder.js";

export { createFolder };

/** A terminal that keeps what is written to it. */
export function recordingTerminal({
  isTerminal = false,
  columns = 80,
  ...rest
}: Partial<Terminal> & { isTerminal?: boolean; columns?: number } = {}) {
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written): Output => ({
    isTerminal,
    columns: () => columns,
    write(text) {
      written[name] += text;
    },
  });
  const silent = { env: {}, stdin: async function* () {}, onSignal: () => () => {} };
  const terminal: Terminal = { ...silent, stdout: output("stdout"), stderr: output("stderr"), ...rest };
  return { terminal, written };
}

/** A command has failed with this status, and with one line on stderr that contains these words. */
export function expectOneLine(
  { status, stdout, stderr }: { status: unknown; stdout: string; stderr: string },
  expected: number,
  ...words: string[]
): void {
  expect([status, stdout]).toEqual([expected, ""]);
  expect(stderr).toMatch(/^async-music: .*\n$/);
  for (const each of words) expect(stderr).toContain(each);
}

export interface TerminalOptions {
  env?: Record<string, string | undefined>;
  /** `null`: nobody types. */
  stdin?: string | null;
  /** Whether stdout and stderr are a terminal. */
  isTerminal?: boolean;
  /** Whether stdin is a terminal, too. */
  isInteractive?: boolean;
  columns?: number;
}

/** What each test of a file has: an emulator, a terminal, and a directory with the path of a journal. */
export interface Its extends ReturnType<typeof createTerminal> {
  emulator: Emulator;
  folder: string;
  journal: string;
  /** Breaks the connection of the next create, before or after its task exists. */
  loseResponse(when?: "before" | "after"): void;
  latestTaskId(): string;
  /** The number of POSTs that the emulator received. */
  posts(): number;
  /** The number of tasks that the account was charged for. */
  freezes(): number;
}

export function useTerminal({ clips, credits = 100 }: { clips?: number; credits?: number } = {}): Its {
  const its = {} as Its;
  const ledger = () => its.emulator.accounts.get(its.emulator.accountId).ledger;
  beforeEach(async () => {
    const emulator = createEmulator({ seed: 1, credits });
    if (clips !== undefined) emulator.providers.provider_a.always({ clips });
    const folder = await createFolder();
    Object.assign(its, createTerminal(emulator), {
      emulator,
      folder,
      journal: join(folder, "journal"),
      loseResponse: (when: "before" | "after" = "after") =>
        its.emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when } }),
      latestTaskId: () => ledger().at(-1)?.task_id ?? "",
      posts: () => its.emulator.requests.filter(({ method }) => method === "POST").length,
      freezes: () => ledger().filter(({ kind }) => kind === "freeze").length,
    });
    return () => its.emulator[Symbol.asyncDispose]();
  });
  return its;
}

export function createTerminal(emulator: Pick<Emulator, "connection">, options: TerminalOptions = {}) {
  const { baseUrl, apiKey, fetch, clock } = emulator.connection();
  const { env = {}, stdin = "", isTerminal = false, isInteractive = false, columns = 80 } = options;
  const bodies: unknown[] = [];
  const listeners = new Set<(signal: EndingSignal) => void>();

  const run = async (...args: string[]) => {
    const { terminal, written } = recordingTerminal({
      ...{ isTerminal, isInteractive, columns },
      env: { ASYNC_MUSIC_API_KEY: apiKey, ASYNC_MUSIC_BASE_URL: baseUrl, ...env },
      stdin: () => (stdin === null ? untyped() : inPieces(stdin)),
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
    });
    const status = await runProgram(args, terminal);
    return { status, ...written };
  };
  const song = (...flags: string[]) => run("run", "-d", "rain", ...flags);
  const lyrics = (...flags: string[]) => run("run", "lyrics", "--prompt", "sea", ...flags);
  const signal = (name: EndingSignal) => {
    for (const listener of listeners) listener(name);
  };
  return { run, song, lyrics, signal, bodies, listeners };
}

export function createChangedTerminal(
  emulator: Emulator,
  change: (response: Response, request: Request) => Response | Promise<Response>,
  options: TerminalOptions = {},
) {
  const { fetch, ...rest } = emulator.connection();
  const changed: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    return change(await fetch(request), request);
  };
  return createTerminal({ connection: () => ({ ...rest, fetch: changed }) }, options);
}

/** A terminal whose service replaces a journal by a file while it responds to a POST. */
export function createBreakingTerminal(emulator: Emulator, journal: string) {
  return createChangedTerminal(emulator, async (response, { method }) => {
    if (method === "POST") {
      await rm(journal, { recursive: true });
      await writeFile(journal, "not a directory");
    }
    return response;
  });
}

async function* untyped(): AsyncGenerator<Uint8Array> {
  await new Promise(() => {});
}

/** Single bytes, or larger pieces of a long text. */
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const size = bytes.length > 100_000 ? 65_536 : 1;
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}
