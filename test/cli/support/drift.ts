import type { Difference } from "../../../cli/drift/compare.js";
import type { DriftReport } from "../../../cli/drift/report.js";
import { runProgram } from "../../../cli/program.js";
import type { EndingSignal } from "../../../cli/terminal.js";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../../emulator/index.js";
import { recordingTerminal } from "./terminal.js";

/** What the service returns instead. */
export type Deviation = (response: Response, request: Request) => Response | Promise<Response>;

export interface DriftOptions {
  options?: EmulatorOptions;
  args?: readonly string[];
  /** @defaultValue that of the command */
  maxCredits?: number | undefined;
  /** Changes the service before the check. */
  prepare?(emulator: Emulator): void;
  deviation?: Deviation;
  env?: Record<string, string>;
  /** Sent 150 s after the first request. */
  signal?: EndingSignal;
  /** Runs at the same time. */
  meanwhile?(emulator: Emulator): Promise<unknown>;
  /** Without `--json`, on a terminal or not. */
  text?: { isTerminal: boolean };
}

/** Runs `async-music drift`, with `--json` by default, against an emulator that deviates. */
export async function runDrift(given: DriftOptions = {}) {
  const { options = {}, args = [], maxCredits, prepare, deviation, env = {}, signal, text } = given;
  const emulator = createEmulator(options);
  prepare?.(emulator);
  const { baseUrl, apiKey, fetch, clock } = emulator.connection();
  const posts: string[] = [];
  let interrupt: (() => void) | null = null;
  const ceiling = maxCredits === undefined ? [] : ["--max-credits", String(maxCredits)];
  const format = text === undefined ? ["--json"] : [];
  const beside = given.meanwhile?.(emulator);
  const { terminal, written } = recordingTerminal({
    ...text,
    env: { ASYNC_MUSIC_API_KEY: apiKey, ASYNC_MUSIC_BASE_URL: baseUrl, ...env },
    onSignal(listener) {
      if (signal !== undefined) interrupt = () => void clock.sleep(150_000).then(() => listener(signal));
      return () => {};
    },
    client: {
      clock,
      random: () => 0,
      async fetch(input, init) {
        interrupt?.();
        interrupt = null;
        const request = new Request(input, init);
        if (request.method === "POST") posts.push(await request.clone().text());
        const response = await fetch(request.clone());
        return deviation === undefined ? response : deviation(response, request);
      },
    },
  });
  const status = await runProgram(["drift", ...ceiling, ...format, ...args], terminal);
  await beside;
  const document = text === undefined ? JSON.parse(written.stdout || "null") : null;
  const report: DriftReport | null = document?.drift === undefined ? null : document;
  return { status, ...written, document, report, posts, emulator };
}

/** The differences as text: the test, the part, the field, and both values. */
export function linesOf(report: DriftReport | null): string[] {
  const textOf = (value: unknown) => (value === undefined ? "missing" : String(value));
  const shown = ({ test, part, field, service, emulator }: Difference) =>
    `${test}, ${part}: ${field} ${textOf(service)} <> ${textOf(emulator)}`;
  return report?.drift.map(shown) ?? [];
}

/** Replaces the JSON of responses that have some. */
export function json(change: (body: Body, request: Request, response: Response) => unknown): Deviation {
  return async (response, request) => {
    if (response.headers.get("Content-Type") !== "application/json") return response;
    const body = await response.clone().json();
    const changed = change(body, request, response);
    return changed === undefined ? response : withBody(response, changed);
  };
}

/** Replaces fields of a task that is read. */
export function task(change: (data: Data, request: Request) => object | undefined): Deviation {
  return json((body, request) => {
    if (request.method !== "GET" || body.data?.["credits_cost"] === undefined) return undefined;
    const data = change(body.data, request);
    return data && { ...body, data: { ...body.data, ...data } };
  });
}

/** Replaces fields of a task that is read with this status. */
export function taskIn(wanted: string, change: (data: Data) => object): Deviation {
  return task((data) => (data["status"] === wanted ? change(data) : {}));
}

/** Replaces fields of the response to a new task. */
export function created(change: (data: Data) => object | undefined): Deviation {
  return json((body, { method }) => {
    if (method !== "POST" || body.data === undefined) return undefined;
    return { ...body, data: { ...body.data, ...change(body.data) } };
  });
}

/** Replaces fields of balance or usage. */
export function account(path: "balance" | "usage", change: (data: Data) => object): Deviation {
  return json((body, { url }) => {
    if (!url.endsWith(`/account/${path}`) || body.data === undefined) return undefined;
    return { ...body, data: { ...body.data, ...change(body.data) } };
  });
}

export function header(name: string, value: string | null, matches: (request: Request) => boolean = isApi) {
  return (response: Response, request: Request) => {
    if (!matches(request)) return response;
    const headers = new Headers(response.headers);
    if (value === null) headers.delete(name);
    else headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  };
}

/** Replaces an HTTP status by another. */
export function status(from: number, to: number): Deviation {
  return (response) =>
    response.status === from
      ? new Response(response.body, { status: to, headers: response.headers })
      : response;
}

export function withBody(response: Response, body: unknown, status = response.status): Response {
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return new Response(JSON.stringify(body), { status, headers });
}

export function isApi({ url }: Request): boolean {
  return url.includes("/api/v1/");
}

export function isAudio({ url }: Request): boolean {
  return url.includes("/audio/");
}

export type Data = Record<string, unknown>;

interface Body extends Data {
  data?: Data;
}
