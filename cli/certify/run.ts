import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import type { Emulator, EmulatorState } from "../../emulator/index.js";
import type { ClientRequest, ScenarioService } from "./service.js";

/** How a client ended. */
export interface ClientEnd {
  /** The exit status; `null` after a signal. */
  readonly status: number | null;
  /** Whether it was ended because it took too long. */
  readonly isStopped: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** A file that the client made. */
export interface MadeFile {
  readonly path: string;
  /** In lower case, with its dot; empty without one. */
  readonly extension: string;
  /** The media type of the clip with the same bytes; `null` if no clip has them. */
  readonly clipType: string | null;
}

/** What a client did in a scenario. */
export interface ClientRun extends ClientEnd {
  readonly requests: readonly ClientRequest[];
  readonly files: readonly MadeFile[];
  readonly tasks: EmulatorState["tasks"];
  readonly findings: ReturnType<Emulator["audit"]>;
  readonly apiKey: string;
}

/** Collects what a client did. The faults of the service no longer apply. */
export async function inspect(
  { emulator, requests }: ScenarioService,
  ended: ClientEnd,
  outDirectory: string,
): Promise<ClientRun> {
  emulator.faults.clear();
  const { tasks } = emulator.state();
  const clips = await readClips(emulator, tasks);
  const files = await Promise.all(
    (await pathsIn(outDirectory, ended.stdout)).map((path) => inspectFile(path, clips)),
  );
  return { ...ended, requests, files, tasks, findings: emulator.audit(), apiKey: emulator.apiKey };
}

interface ClipFile {
  readonly type: string;
  readonly bytes: Buffer;
}

async function readClips({ fetch }: Emulator, tasks: ClientRun["tasks"]): Promise<ClipFile[]> {
  const urls = tasks.flatMap(({ output }) =>
    Array.isArray(output?.result) ? output.result.map(({ audio_url: url }) => url) : [],
  );
  return Promise.all(
    urls.map(async (url) => {
      const response = await fetch(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      return { type: response.headers.get("Content-Type") ?? "", bytes };
    }),
  );
}

/** The files in the directory, and those whose path is a line on stdout. */
async function pathsIn(directory: string, stdout: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true });
  const named = stdout.split("\n").map((line) => line.trim());
  const paths = [
    ...entries.map((name) => join(directory, name)),
    ...named.filter((line) => line !== "").map((line) => resolve(line)),
  ];
  const files = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const found = await stat(path).catch(() => null);
      return found?.isFile() === true ? [path] : [];
    }),
  );
  return files.flat();
}

async function inspectFile(path: string, clips: readonly ClipFile[]): Promise<MadeFile> {
  const bytes = await readFile(path);
  const clip = clips.find((each) => each.bytes.equals(bytes));
  return { path, extension: extname(path).toLowerCase(), clipType: clip?.type ?? null };
}
