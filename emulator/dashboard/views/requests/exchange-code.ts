import type { Exchange } from "../../api.js";
import { literal, shellQuoted } from "../tasks/task-input.js";

/** Headers that curl sets itself. */
const OWN_HEADERS = ["accept-encoding", "connection", "content-length", "host", "transfer-encoding"];

type Sent = Pick<Exchange, "method" | "url" | "request_headers" | "request_body">;

/** The request as a command for a shell, which takes the key from the environment. */
export function curlOf({ method, url, request_headers: headers, request_body: body }: Sent): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${shellQuoted(url ?? "")}`];
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (name.toLowerCase() === "x-api-key") lines.push(`-H "${name}: $ASYNC_MUSIC_API_KEY"`);
    else if (!OWN_HEADERS.includes(name.toLowerCase())) lines.push(`-H ${shellQuoted(`${name}: ${value}`)}`);
  }
  if (body !== null) lines.push(`--data-binary ${shellQuoted(body)}`);
  return lines.join(" \\\n  ");
}

type Shaped = Sent & Pick<Exchange, "path" | "status" | "error_code" | "fault" | "outcome">;

/**
 * A test with the SDK that sends the same request to an emulator with the same fault or outcome, and expects the same
 * status. It is a start: what earlier requests have left behind is not part of it.
 *
 * @param created - the body of the request that created the task, if the exchange read one; otherwise `null`
 */
export function testOf(exchange: Shaped, seed: number, created: unknown): string {
  const { method, path, status, error_code: errorCode, outcome, request_body: sent } = exchange;
  const body = sent === null ? null : parsed(sent);
  const call = callOf(exchange, body, created);
  // The state that a 429 needs takes many requests; a fault has the same effect.
  const limited = status === 429 ? ({ kind: "status", status, when: "before" } as const) : null;
  const fault = exchange.fault ?? limited;
  const lines = [
    `await using emulator = createEmulator({ seed: ${seed}${errorCode === "insufficient_credits" ? ", credits: 0" : ""} });`,
    ...(outcome === null ? [] : [`emulator.providers.${Object(body).model}.next(${literal(outcome)});`]),
    ...(call === null ? [] : [`const client = new AsyncMusic(${clientOptions(status)});`]),
    ...(created === null ? [] : [`const task = await client.tasks.create(${literal(created)});`]),
    ...(fault === null ? [] : [`emulator.faults.add({ fault: ${literal(fault)} });`]),
    `const response = ${call ?? `emulator.fetch(emulator.url + ${JSON.stringify(path)}, { method: "${method}" })`};`,
    call === null ? `expect((await response).status).toBe(${status});` : expectation(status, fault),
  ];
  return `${call === null ? "" : 'import { AsyncMusic } from "async-music";\n'}import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";

test(${JSON.stringify(`${method} ${path}: ${status ?? "no response"}`)}, async () => {
${lines.join("\n").replaceAll(/^/gm, "  ")}
});
`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The call of the SDK that sends the request; `null` if there is none. */
function callOf({ method, path, fault }: Shaped, body: unknown, created: unknown): string | null {
  const options = fault?.kind === "stall" ? "{ maxRetries: 0, timeoutMs: 100 }" : "{ maxRetries: 0 }";
  const name = path.replace(/^\/api\/v1\//, "");
  const taskId = name.replace(/^task\//, "");
  if (method === "POST" && name === "task" && typeof body === "object" && body !== null)
    return `client.tasks.create(${literal(body)}, ${options})`;
  if (method !== "GET") return null;
  if (name === "account/balance") return `client.account.balance(${options})`;
  if (name === "account/usage") return `client.account.usage(${options})`;
  if (created !== null) return `client.tasks.retrieve(task, ${options})`;
  return UUID.test(taskId) ? `client.tasks.retrieve("${taskId}", ${options})` : null;
}

function clientOptions(status: number | null): string {
  if (status === 401) return '{ ...emulator.connection(), apiKey: "emu_unknown" }';
  // The SDK would refuse such a request before sending it.
  return status === 400 ? "{ ...emulator.connection(), validateRequests: false }" : "emulator.connection()";
}

function expectation(status: number | null, fault: Exchange["fault"]): string {
  if (status === null || fault?.kind === "malformed") return "await expect(response).rejects.toThrow();";
  if (status < 300) return "await expect(response).resolves.toBeTruthy();";
  return `await expect(response).rejects.toMatchObject({ status: ${status} });`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
