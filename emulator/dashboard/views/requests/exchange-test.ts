import { LIMITS, TASK_ERROR_CODES, TASK_STATUSES } from "../../../../src/contract/service.js";
import type { Task } from "../../../../src/contract/task.js";
import { POLICY_FIELDS } from "../../../core/policy-fields.js";
import { LARGEST_BODY_BYTES, UNREAD_BODY } from "../../../core/ranges.js";
import type { ExchangeDetails, Finding, Policy } from "../../api.js";
import { parsed } from "../../parts/json.js";
import { literal } from "../tasks/task-input.js";
import type { Sent } from "./exchange-code.js";

type Shaped = Sent &
  Pick<ExchangeDetails, "path" | "key_id" | "status" | "error_code" | "fault" | "outcome" | "response_body">;

export interface Surroundings {
  seed: number;
  /** Of the account. */
  policy: Policy;
  /** The address of the service. */
  service: string;
  /** The body of the request that created the task, if the exchange read one; otherwise `null`. */
  created: unknown;
  /** The rule of the service that the request broke; otherwise `null`. */
  rule: Finding["rule"] | null;
}

/** A request that a test sends, as an expression, and what it needs. */
interface Call {
  code: string;
  /** Without the SDK, since the SDK does not send such requests. */
  isRaw: boolean;
  /** Lines before the fault. */
  before: readonly string[];
}

/** No `fetch` sends these. */
const UNSENDABLE_METHODS = ["CONNECT", "TRACE", "TRACK"];

/**
 * A test that sends the same request to an emulator with the same fault or outcome, and expects the same status and error
 * code: those of the response, or of the task that was read. If the request broke a rule, the test also sends the request
 * before it, and expects the finding. Nothing else that earlier requests have left behind is part of it.
 *
 * @returns `null` for a request that no test can send
 */
export function testOf(given: Shaped, surroundings: Surroundings): string | null {
  const rule = given.status === null ? null : surroundings.rule;
  const exchange = rule === null ? given : withoutState(given, rule);
  const call = callOf(exchange, { ...surroundings, rule });
  if (call === null) return null;
  const { method, path, outcome, request_body: sent } = exchange;
  const policy = policyOf(exchange, surroundings.policy);
  const errorCode = ownErrorCode(exchange);
  const fault = faultOf(exchange);
  const usesClient = !call.isRaw || call.before.length > 0;
  const options = {
    seed: surroundings.seed,
    ...(errorCode === "insufficient_credits" && { credits: 0 }),
    ...(Object.keys(policy).length > 0 && { policy }),
  };
  const lines = [
    `await using emulator = createEmulator(${inline(options)});`,
    errorCode === "account_suspended" && "emulator.accounts.update(emulator.accountId, { suspended: true });",
    outcome !== null && `emulator.providers.${Object(parsed(sent)).model}.next(${inline(outcome)});`,
    usesClient && `const client = new AsyncMusic(${clientOptions(exchange, policy)});`,
    ...call.before,
    fault !== null && `emulator.faults.add({ fault: ${inline(fault)} });`,
    ...(rule !== null
      ? expectFinding(rule, call.code)
      : call.isRaw
        ? expectResponse(exchange, call.code)
        : expectResult(exchange, call.code)),
  ].filter((line) => line !== false);
  const name = `${method} ${path}: ${rule ?? given.status ?? "no response"}`;
  return `${usesClient ? 'import { AsyncMusic } from "async-music";\n' : ""}import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";

test(${JSON.stringify(name)}, async () => {
${lines.join("\n").replaceAll(/^/gm, "  ")}
});
`;
}

/** A request that breaks a rule, without what else decided its response: the test expects only the finding. */
function withoutState(exchange: Shaped, rule: Finding["rule"]): Shaped {
  const isResent = rule === "resent_not_retryable";
  const outcome = isResent ? ({ outcome: "failure", retryable: false } as const) : null;
  return { ...exchange, status: 200, error_code: null, fault: null, outcome };
}

function faultBefore(fault: string): readonly string[] {
  return [`emulator.faults.add({ fault: { ${fault}, when: "before" } });`, "await send();"];
}

/** What comes before the request that breaks the rule. */
const EARLIER: Readonly<Record<Finding["rule"], readonly string[]>> = {
  polled_too_often: ["await send();"],
  resubmitted_after_unknown_outcome: faultBefore('kind: "status", status: 502'),
  ignored_retry_after: faultBefore('kind: "status", status: 429, retry_after_seconds: 30'),
  resent_not_retryable: [
    "const { data } = await (await send()).json();",
    "await emulator.clock.advance(600_000);",
    'await emulator.fetch(emulator.url + "/api/v1/task/" + data.task_id, { headers: { "x-api-key": emulator.apiKey } });',
  ],
};

function expectFinding(rule: Finding["rule"], code: string): readonly string[] {
  return [
    `const send = () => ${code};`,
    ...EARLIER[rule],
    "await send();",
    `expect(emulator.audit()).toMatchObject([{ rule: "${rule}" }]);`,
  ];
}

/** The error code that the state caused, and no fault. */
function ownErrorCode({ error_code: code, fault }: Shaped): string | null {
  return fault?.kind === "status" ? null : code;
}

/** The state that a 429 needs takes many requests; a fault has the same effect. */
function faultOf({ status, fault }: Shaped): ExchangeDetails["fault"] {
  return status === 429 && fault?.kind !== "status" ? { kind: "status", status, when: "before" } : fault;
}

/** Whether the emulator accepted the body of a task creation. */
function isAccepted(exchange: Shaped): boolean {
  const { status, outcome } = exchange;
  return outcome !== null || status === 202 || ownErrorCode(exchange) === "insufficient_credits";
}

/** The options of the policy, other than the defaults, on which the status depends. */
function policyOf(exchange: Shaped, current: Policy): Partial<Policy> {
  const { method, status } = exchange;
  const errorCode = ownErrorCode(exchange);
  if (status !== null && errorCode === "invalid_audio_format")
    return changed({ invalid_audio_format_status: status });
  if (status !== null && errorCode === "audio_format_unavailable")
    return changed({ audio_conversion: "off", audio_format_unavailable_status: status });
  const { mixed_field_sets, null_audio_format, timeout_error_code } = current;
  if (taskIn(exchange)?.status === "timeout")
    return changed({ mixed_field_sets, null_audio_format, timeout_error_code });
  return method === "GET" || isAccepted(exchange) ? changed({ mixed_field_sets, null_audio_format }) : {};
}

function changed(policy: Partial<Policy>): Partial<Policy> {
  const isChanged = ([name, value]: [string, unknown]) =>
    value !== POLICY_FIELDS[name as keyof Policy].default;
  return Object.fromEntries(Object.entries(policy).filter(isChanged));
}

function clientOptions(exchange: Shaped, policy: Partial<Policy>): string {
  const isValid = exchange.method === "GET" || isAccepted(exchange);
  const options = [
    "...emulator.connection()",
    ...(ownErrorCode(exchange) === "invalid_api_key" ? [`apiKey: "${UNKNOWN_KEY}"`] : []),
    // Otherwise, the SDK would refuse the request before sending it.
    ...(isValid && Object.keys(policy).length === 0 ? [] : ["validateRequests: false"]),
  ];
  return options.length === 1 ? "emulator.connection()" : `{ ${options.join(", ")} }`;
}

const UNKNOWN_KEY = "emu_unknown";

function callOf(exchange: Shaped, { service, created, rule }: Surroundings): Call | null {
  const { method, path, url } = exchange;
  if (UNSENDABLE_METHODS.includes(method) || !path.startsWith("/")) return null;
  const isOfService = url === null || url.startsWith(`${service}/`);
  const before = created === null ? [] : creationOf(Object(created), rule === null ? taskIn(exchange) : null);
  // The SDK keeps the rules.
  if (rule !== null) {
    const read = 'emulator.url + "/api/v1/task/" + task.task_id';
    const address = created === null ? `emulator.url + ${JSON.stringify(path)}` : read;
    return { code: rawCallOf(exchange, address), isRaw: true, before };
  }
  const code = isOfService ? sdkCallOf(exchange, created) : null;
  if (code !== null) return { code, isRaw: false, before };
  const file = fileOf(exchange);
  if (file !== null) return { ...file, code: rawCallOf(exchange, file.code), isRaw: true };
  const address = `emulator.url + ${JSON.stringify(path)}`;
  return isOfService ? { code: rawCallOf(exchange, address), isRaw: true, before: [] } : null;
}

const UUID = /^\/api\/v1\/task\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** The error codes of requests that the SDK does not send. */
const RAW_ERROR_CODES: readonly unknown[] = ["missing_api_key", "invalid_json", "invalid_request_body"];

/** The call of the SDK that sends the request; `null` if there is none. */
function sdkCallOf(exchange: Shaped, created: unknown): string | null {
  const { method, path, fault, request_body: sent } = exchange;
  if (RAW_ERROR_CODES.includes(ownErrorCode(exchange))) return null;
  const options = fault?.kind === "stall" ? "{ maxRetries: 0, timeoutMs: 100 }" : "{ maxRetries: 0 }";
  if (method === "POST" && path === "/api/v1/task") {
    const body = parsed(sent);
    return typeof body === "object" && body !== null
      ? `client.tasks.create(${literal(body)}, ${options})`
      : null;
  }
  if (method !== "GET") return null;
  if (path === "/api/v1/account/balance") return `client.account.balance(${options})`;
  if (path === "/api/v1/account/usage") return `client.account.usage(${options})`;
  if (created !== null) return `client.tasks.retrieve(task, ${options})`;
  const [, taskId] = UUID.exec(path) ?? [];
  return taskId === undefined ? null : `client.tasks.retrieve("${taskId}", ${options})`;
}

type ShownTask = Pick<Task, "status" | "error_code" | "retryable" | "retry_after_seconds">;

/** The task that a read showed; otherwise `null`. Only a later version of the service has other statuses and error codes. */
function taskIn({ method, path, response_body: body }: Shaped): ShownTask | null {
  if (method !== "GET" || !UUID.test(path)) return null;
  const task: ShownTask = Object(Object(parsed(body)).data);
  const isKnown = TASK_STATUSES.some((each) => each === task.status);
  const hasKnownCode = [null, ...TASK_ERROR_CODES].some((each) => each === task.error_code);
  return isKnown && hasKnownCode ? task : null;
}

/** Creates a task that has the shown status at its first read. */
function creationOf(created: Pick<Task, "model" | "input">, shown: ShownTask | null): readonly string[] {
  const { clip_id: clip, continue_clip_id: continued }: Record<string, unknown> = created.input;
  const clipId = clip ?? continued;
  const outcome = shown === null ? undefined : OUTCOMES[shown.status]?.(shown);
  const body = literal(created);
  return [
    ...(clipId === undefined ? [] : [`const source = await client.tasks.run(${SONG});`, CLIP_OF_SOURCE]),
    ...(outcome === undefined ? [] : [`emulator.providers.${created.model}.next(${inline(outcome)});`]),
    `const task = await client.tasks.create(${clipId === undefined ? body : body.replace(JSON.stringify(clipId), "clip.id")});`,
    ...(shown?.status === "timeout" ? [`await emulator.clock.advance(${LIMITS.taskTimeoutMs + 1});`] : []),
  ];
}

const CLIP_OF_SOURCE = "const [clip] = source.output.result;";

/** A task is open for no longer than this: with it, a read that a fault delays still shows an open one. */
const LONGEST_SECONDS = LIMITS.taskTimeoutMs / 1000;

/** By status, the outcome that a task needs in order to have it at its first read. */
const OUTCOMES: Readonly<Record<string, (shown: ShownTask) => object>> = {
  pending: () => ({ queue_seconds: LONGEST_SECONDS }),
  running: () => ({ process_seconds: LONGEST_SECONDS }),
  success: () => ({ polls: 1 }),
  failure: ({ error_code, retryable, retry_after_seconds }) => ({
    outcome: "failure",
    polls: 1,
    ...(error_code !== null && { error_code }),
    ...(retryable !== null && { retryable }),
    ...(retry_after_seconds !== null && { retry_after_seconds }),
  }),
  timeout: () => ({ outcome: "hang" }),
};

const SONG = '{ model: "provider_a", task_type: "music", input: { tags: "fado" } }';

/** The address of a file like the one that was read, and the lines that make it; `null` if the file did not exist. */
function fileOf({ path, status, fault }: Shaped): Pick<Call, "code" | "before"> | null {
  const [, provider, kind, size] = /^(\/provider_[ab])?\/(audio|art)\/[^/]+(?:\/(\w+))?$/.exec(path) ?? [];
  if (kind === undefined || status === null || status === 404 || fault?.kind === "status") return null;
  const image = size === "large" ? "image_large_url" : "image_url";
  const isUnstored = kind === "audio" && provider !== undefined;
  return {
    code: `clip.${kind === "art" ? image : "audio_url"}`,
    before: [
      ...(isUnstored ? ['emulator.providers.provider_a.next({ outcome: "success", storable: false });'] : []),
      `const task = await client.tasks.run(${SONG});`,
      "const [clip] = task.output.result;",
    ],
  };
}

function rawCallOf(exchange: Shaped, address: string): string {
  const { method, fault, request_body: body } = exchange;
  const headers = headersOf(exchange);
  const init = [
    `method: ${JSON.stringify(method)}`,
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(body === null
      ? []
      : [`body: ${body === UNREAD_BODY ? `" ".repeat(${LARGEST_BODY_BYTES} + 1)` : JSON.stringify(body)}`]),
    ...(fault?.kind === "stall" ? ["signal: AbortSignal.timeout(100)"] : []),
  ];
  return `emulator.fetch(${address}, { ${init.join(", ")} })`;
}

/** The headers on which the response depends. */
function headersOf({ request_headers: sent, key_id: keyId, status }: Shaped): string[] {
  return Object.entries(sent ?? {}).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (lower === "x-api-key")
      return `"x-api-key": ${keyId === null ? JSON.stringify(UNKNOWN_KEY) : "emulator.apiKey"}`;
    // Another file never has the entity tag of `If-Range`: the response is then the whole file.
    const matters = ["content-type", "x-emulator-outcome", "range"].includes(lower);
    return matters || (lower === "if-range" && status === 200) ? `"${lower}": ${JSON.stringify(value)}` : [];
  });
}

function expectResult(exchange: Shaped, code: string): string[] {
  const { status } = exchange;
  const errorCode = ownErrorCode(exchange);
  const fault = faultOf(exchange);
  const expected = {
    status,
    ...(errorCode !== null && status !== null && status < 500 && { errorCode }),
  };
  // Neither a body that was cut, nor an error with the status of a success, can be parsed.
  const isUnusable = fault?.kind === "malformed" || (fault?.kind === "status" && (status ?? 0) < 300);
  const task = taskIn(exchange);
  const success =
    task === null
      ? "toBeTruthy()"
      : `toMatchObject(${inline({ status: task.status, error_code: task.error_code })})`;
  const check =
    status === null || isUnusable
      ? "rejects.toThrow()"
      : status < 300
        ? `resolves.${success}`
        : `rejects.toMatchObject(${inline(expected)})`;
  return [`const response = ${code};`, `await expect(response).${check};`];
}

function expectResponse({ status, response_body: body }: Shaped, code: string): string[] {
  if (status === null) return [`await expect(${code}).rejects.toThrow();`];
  const errorCode: unknown = Object(parsed(body)).error_code;
  return [
    `const response = await ${code};`,
    `expect(response.status).toBe(${status});`,
    ...(typeof errorCode === "string"
      ? [`expect(await response.json()).toMatchObject(${inline({ error_code: errorCode })});`]
      : []),
  ];
}

/** A literal on one line. */
function inline(value: object): string {
  return literal(value).replaceAll(/\n */g, " ");
}
