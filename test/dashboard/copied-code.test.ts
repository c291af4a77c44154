import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type EmulatorOptions, type Fault, type Outcome } from "async-music/emulator";
import { expect, test } from "vitest";
import type { ExchangeDetails } from "../../emulator/dashboard/api.js";
import { curlOf } from "../../emulator/dashboard/views/requests/exchange-code.js";
import { testOf } from "../../emulator/dashboard/views/requests/exchange-test.js";
import { bodyOf, taskOf } from "../../emulator/dashboard/views/tasks/task-input.js";
import { ERROR_STATUSES } from "../../src/contract/service.js";
import { alias } from "../../vitest.config.js";
import {
  BALANCE,
  clipsOf,
  createControlled,
  fetchBytes,
  type Service,
  TASK,
  USAGE,
  VALID,
} from "../emulator/support/service.js";
import { createFolder } from "../support/folder.js";
import { runVitest } from "../support/run-vitest.js";

interface Case {
  /** Of the response: the status, or `null` without one, and the error code. */
  expected: readonly [status: number | null, errorCode: string | null];
  options?: EmulatorOptions;
  /** Ends with the request that is copied. */
  send(service: Service): Promise<unknown>;
}

const UNKNOWN = `${TASK}/00000000-0000-4000-8000-000000000000`;
const MP3 = { ...VALID.song, audio_format: "mp3" };
const MIXED = { ...VALID.custom, input: { ...VALID.custom.input, lyrics: "la" } };
const OTHER_KEY = { "x-api-key": "emu_other" };
const WITHOUT_KEY = { headers: { "Content-Type": "application/json" } };

function post(body: unknown, headers?: Record<string, string>): Case["send"] {
  return (service) => service.post(body, headers);
}

function get(path: string): Case["send"] {
  return (service) => service.get(path);
}

/** A request without a key, or with another method. */
function send(path: string, init: RequestInit): Case["send"] {
  return (service) => service.send(path, init);
}

function sendWithKey(method: string, path: string): Case["send"] {
  return ({ send, emulator }) => send(path, { method, headers: { "x-api-key": emulator.apiKey } });
}

function withFault(fault: Fault, act: Case["send"]): Case["send"] {
  return async (service) => {
    service.fault(fault);
    await act(service).catch(() => {});
  };
}

function withPolicy(policy: EmulatorOptions["policy"], send: Case["send"]) {
  return { options: { policy }, send };
}

/** Reads a task that was created before, after this time. */
function readTask(body: object, fault?: Fault, outcome: Outcome = {}, advanceMs = 0): Case["send"] {
  return async (service) => {
    service.emulator.providers.provider_a.next(outcome);
    const taskId = await service.create(body);
    await service.emulator.clock.advance(advanceMs);
    if (fault !== undefined) service.fault(fault);
    await service.get(`${TASK}/${taskId}`).catch(() => {});
  };
}

/** Reads a task that had this outcome. */
function readEnd(outcome: Outcome, advanceMs = 600_000): Case["send"] {
  return readTask(VALID.song, undefined, outcome, advanceMs);
}

/** Reads a task that made something from a clip. */
function readDerived(bodyOf: (clipId: string) => object): Case["send"] {
  return async (service) => {
    const [clip] = await clipsOf(service);
    await readTask(bodyOf(clip.id), undefined, {}, 600_000)(service);
  };
}

/** Reads a file of a clip. */
function readFile(field: "audio_url" | "image_large_url", init: RequestInit, outcome?: object): Case["send"] {
  return async (service) => {
    const [clip] = await clipsOf(service, VALID.song, outcome);
    await fetchBytes(service, clip[field], init);
  };
}

/** Sends a request that never gets a response. */
function stalled(path: string): Case["send"] {
  return async ({ emulator, fault }) => {
    fault({ kind: "stall" });
    const signal = AbortSignal.timeout(10);
    await emulator.fetch(emulator.url + path, { signal, headers: OTHER_KEY }).catch(() => {});
  };
}

const INVALID_FORMAT = post({ ...MP3, audio_format: "wav" });
const SLOW = { kind: "latency", ms: 10_000 } as const;
const MALFORMED = { kind: "malformed" } as const;

/** Cases in which the copied request broke a rule of the service. */
const BROKEN = {
  "a poll that came too early": "polled_too_often",
  "a task after an unknown outcome": "resubmitted_after_unknown_outcome",
  "a read before the stated wait was over": "ignored_retry_after",
  "a task that can never succeed": "resent_not_retryable",
} as const;

const CASES: Readonly<Record<string, Case>> = {
  ...responding(200, null, {
    "a poll that came too early": async ({ create, get }) => {
      const taskId = await create(VALID.song);
      await get(`${TASK}/${taskId}`);
      await get(`${TASK}/${taskId}`);
    },
    "a read before the stated wait was over": async ({ fault, get }) => {
      fault({ kind: "status", status: 429, retry_after_seconds: 60, when: "before" });
      await get(BALANCE);
      await get(BALANCE);
    },
  }),
  ...responding(202, null, {
    "a task after an unknown outcome": async ({ fault, post }) => {
      fault({ kind: "status", status: 502, when: "after" });
      await post(VALID.song);
      await post(VALID.song);
    },
    "a task that can never succeed": async ({ emulator, post, create, get }) => {
      emulator.providers.provider_a.next({ outcome: "failure", retryable: false });
      const taskId = await create(VALID.song);
      await emulator.clock.advance(600_000);
      await get(`${TASK}/${taskId}`);
      await post(VALID.song);
    },
    "an accepted task": post(VALID.song),
    "a task with an outcome": async ({ emulator, post }) => {
      emulator.providers.provider_a.next({ outcome: "failure" });
      await post(VALID.song);
    },
    "fields of both models": withPolicy({ mixed_field_sets: "named_only" }, post(MIXED)),
    "a format of null": withPolicy(
      { null_audio_format: "omitted" },
      post({ ...VALID.lyrics, audio_format: null }),
    ),
    "no conversion, later": async ({ emulator, post }) => {
      await post(MP3);
      emulator.changePolicy({ audio_conversion: "off" });
    },
  }),
  ...responding(200, null, {
    "a task that is read": readTask(VALID.song),
    "a read task with fields of both models": withPolicy({ mixed_field_sets: "named_only" }, readTask(MIXED)),
    "a running task": readEnd({ process_seconds: 30 }, 20_000),
    "a slow read of a running task": readTask(VALID.song, SLOW, { process_seconds: 60 }),
    "a slow read of a waiting task": readTask(VALID.song, SLOW, { queue_seconds: 60 }),
    "a success": readEnd({}),
    "a success at its first read": readEnd({ polls: 1 }, 0),
    "a failure": readEnd({ outcome: "failure", error_code: "content_moderation" }),
    "a failure with a wait": readEnd({
      outcome: "failure",
      error_code: "rate_limited",
      retry_after_seconds: 20,
    }),
    "a failure at its first read": readEnd({ outcome: "failure", retryable: false, polls: 1 }, 0),
    "a timeout": readEnd({ outcome: "hang" }, 3_600_001),
    "a timeout of a task that had ended": readEnd({}, 3_600_001),
    "a timeout with another code": withPolicy(
      { timeout_error_code: "rate_limited" },
      readEnd({ outcome: "hang" }, 3_600_001),
    ),
    "a song from a clip": readDerived((clip_id) => ({ ...VALID.concat, input: { clip_id } })),
    "a continued song": readDerived((continue_clip_id) => ({ ...VALID.song, input: { continue_clip_id } })),
    "a song from no clip": readTask(VALID.concat, undefined, {}, 600_000),
    "the balance": get(BALANCE),
    "the usage": get(USAGE),
    "the description": send("/openapi.json", {}),
    "the start page without a body": send("/", { method: "HEAD" }),
    "a whole file": readFile("audio_url", {}),
    "a file without a body": readFile("audio_url", { method: "HEAD" }),
    "a file that changed": readFile("audio_url", { headers: { Range: "bytes=5-9", "If-Range": '"other"' } }),
    "a provider's file": readFile("audio_url", {}, { storable: false }),
    "a cover": readFile("image_large_url", {}),
    "a cut response": withFault(MALFORMED, get(USAGE)),
    "a cut response to a read": readTask(VALID.song, MALFORMED),
    "a cut file": async (service) => {
      const [clip] = await clipsOf(service);
      service.fault(MALFORMED);
      await fetchBytes(service, clip.audio_url).catch(() => {});
    },
    "a late response": withFault({ kind: "latency", ms: 600_000 }, get(BALANCE)),
  }),
  ...responding(206, null, {
    "a part of a file": readFile("audio_url", { headers: { Range: "bytes=5-9" } }),
  }),
  ...responding(400, "invalid_json", {
    "no JSON": post("{"),
    "no body": sendWithJsonType,
    "a cut error without JSON": withFault(MALFORMED, post("{")),
  }),
  ...responding(400, "invalid_request_body", {
    "an array": post([]),
    "a string": post('"song"'),
    "deep JSON": post(`${"[".repeat(600)}${"]".repeat(600)}`),
    "another content type": post(VALID.song, { "Content-Type": "text/plain" }),
    "a body that is too large": post({ ...VALID.lyrics, more: "x".repeat(2 ** 20) }),
    "an invalid outcome": post(VALID.song, { "X-Emulator-Outcome": "{" }),
  }),
  ...responding(400, "missing_required_fields", {
    "no input": post({ model: "provider_a", task_type: "lyrics" }),
  }),
  ...responding(400, "invalid_model", { "another model": post({ ...VALID.lyrics, model: "provider_c" }) }),
  ...responding(400, "unsupported_task_type", {
    "another task type": post({ ...VALID.lyrics, model: "provider_b" }),
  }),
  ...responding(400, "invalid_task_input", { "an empty input": post({ ...VALID.lyrics, input: {} }) }),
  ...responding(400, "invalid_audio_format", { "an invalid format": INVALID_FORMAT }),
  ...responding(422, "invalid_audio_format", {
    "an invalid format with another status": withPolicy({ invalid_audio_format_status: 422 }, INVALID_FORMAT),
  }),
  ...responding(409, "audio_format_unavailable", {
    "no conversion": withPolicy({ audio_conversion: "off", audio_format_unavailable_status: 409 }, post(MP3)),
  }),
  ...responding(401, "missing_api_key", {
    "no key": send(TASK, { ...WITHOUT_KEY, method: "POST", body: JSON.stringify(VALID.song) }),
    "no key for the balance": send(BALANCE, {}),
  }),
  ...responding(401, "invalid_api_key", {
    "an unknown key": send(BALANCE, { headers: OTHER_KEY }),
    "an unknown key and an invalid request": post({ ...VALID.lyrics, input: {} }, OTHER_KEY),
    "an unknown key and no JSON": post("{", OTHER_KEY),
  }),
  ...responding(402, "insufficient_credits", {
    "too few credits": { options: { credits: 3 }, send: post(VALID.song) },
    "a cut error": { options: { credits: 0 }, send: withFault(MALFORMED, post(VALID.song)) },
  }),
  ...responding(403, "account_suspended", {
    "a suspended account": suspended(VALID.song),
    "a suspended account and no JSON": suspended("{"),
  }),
  ...responding(404, "task_not_found", {
    "an unknown task": get(UNKNOWN),
    "a task ID that is no UUID": get(`${TASK}/song`),
  }),
  ...responding(404, "not_found", {
    "an unknown path": get("/api/v1/nothing"),
    "an unknown path without a key": send("/nothing", {}),
    "a path that ends like a task's": get(UNKNOWN.replace("/task", "")),
    "an unknown file": send("/audio/nothing", {}),
  }),
  ...responding(405, "method_not_allowed", {
    "another method": sendWithKey("DELETE", TASK),
    "a balance without a body": sendWithKey("HEAD", BALANCE),
    "another method for a cover": readFile("image_large_url", { method: "PUT" }),
  }),
  ...responding(416, "range_not_satisfiable", {
    "a range outside the file": readFile("audio_url", { headers: { Range: "bytes=999999999-" } }),
  }),
  ...responding(429, "rate_limited", {
    "the rate limit": limited(VALID.song),
    "the rate limit and no JSON": limited("{"),
    "the rate limit after a delay": withFault({ kind: "latency", ms: 1 }, limited(VALID.song)),
  }),
  ...responding(502, "upstream_provider_error", {
    "a provider's refusal": async ({ emulator, post }) => {
      emulator.providers.provider_a.always({ outcome: "reject" });
      await post(VALID.song);
    },
  }),
  ...Object.assign(
    {},
    ...[200, 204, 302, 304, 400, 401, 402, 403, 404, 408, 418, 429, 500, 502, 503].map((status) => {
      const [code = null] = Object.entries(ERROR_STATUSES).find(([, each]) => each === status) ?? [];
      const general = status >= 400 && status < 500 ? "invalid_request_body" : "internal_error";
      const fault = { kind: "status", status, when: "after" } as const;
      const isRedirect = status >= 300 && status < 400;
      return responding(status, isRedirect ? null : (code ?? general), {
        [`a fault with ${status} for a task`]: withFault(fault, post(VALID.song)),
        [`a fault with ${status} for an invalid task`]: withFault(fault, post({})),
        [`a fault with ${status} for no JSON`]: withFault(fault, post("{")),
        [`a fault with ${status} for a read`]: readTask(VALID.song, fault),
      });
    }),
    ...(["before", "after"] as const).map((when) => {
      const fault = { kind: "disconnect", when } as const;
      return responding(null, null, {
        [`no response to a task, ${when}`]: withFault(fault, post(VALID.song)),
        [`no response without JSON, ${when}`]: withFault(fault, post("{")),
        [`no response to a read, ${when}`]: readTask(VALID.song, fault),
      });
    }),
  ),
  ...responding(null, null, {
    "a stalled request": stalled(BALANCE),
    "a stalled request without a route": stalled("/nothing"),
  }),
};

/** Cases whose responses have this status, or none, and this error code. */
function responding(
  status: number | null,
  code: string | null,
  sends: Record<string, Case["send"] | Omit<Case, "expected">>,
): Record<string, Case> {
  const expected = [status, code] as const;
  return Object.fromEntries(
    Object.entries(sends).map(([name, given]) => [
      name,
      { expected, ...(typeof given === "function" ? { send: given } : given) },
    ]),
  );
}

async function sendWithJsonType({ send, emulator }: Service) {
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  await send(TASK, { method: "POST", headers });
}

function suspended(body: unknown): Case["send"] {
  return async ({ emulator, post }) => {
    emulator.accounts.update(emulator.accountId, { suspended: true });
    await post(body);
  };
}

function limited(body: unknown): Case["send"] {
  return async ({ emulator, post, get }) => {
    emulator.changeLimits({ requests: 1 });
    await get("/nothing");
    await post(body);
  };
}

/** The last request, as the dashboard copies it. */
async function copied({ options = {}, send }: Omit<Case, "expected">) {
  const service = createControlled({ seed: 3, ...options });
  await send(service);
  const { control, emulator } = service;
  const { policy, url, requests } = emulator;
  const { body: exchange }: { body: ExchangeDetails } = await control("GET", `/exchanges/${requests.length}`);
  const rule = emulator.audit().at(-1)?.rule ?? null;
  const { method, task_id: taskId } = exchange;
  const isRead = method === "GET" && taskId !== null;
  const created = isRead ? bodyOf(taskOf((await control("GET", `/tasks/${taskId}`)).body)) : null;
  return {
    exchange,
    code: testOf(exchange, { seed: 3, policy, service: url, created, rule }),
  };
}

test("a copied test passes against an emulator, for each status and error code", async () => {
  const folder = await createFolder();
  /** By the imports: a file for each test would take minutes. */
  const files = new Map<string, string[]>();
  for (const [name, { expected, ...given }] of Object.entries(CASES)) {
    const { exchange, code } = await copied(given);
    expect([name, exchange.status, exchange.error_code]).toEqual([name, ...expected]);
    const [imports = "", test = ""] = code?.split(/^test\(".*?", /m) ?? [];
    expect([name, test]).not.toEqual([name, ""]);
    const isFinding = Object.hasOwn(BROKEN, name);
    expect([name, test]).toEqual([name, expect.stringContaining(isFinding ? "rule: " : shownBy(exchange))]);
    files.set(imports, [...(files.get(imports) ?? []), `test(${JSON.stringify(name)}, ${test}`]);
  }
  for (const [index, [imports, tests]] of [...files].entries())
    writeFileSync(join(folder, `${index}.test.ts`), imports + tests.join("\n"));
  const errors = await runVitest(folder, { alias });
  expect(new Map([...errors].filter(([, messages]) => messages.length > 0))).toEqual(new Map());
  expect([...errors.keys()]).toEqual(expect.arrayContaining(Object.keys(CASES)));
});

/** What a copied test must expect. */
function shownBy({ method, path, status, fault, response_body: body }: ExchangeDetails): string {
  if (status === null) return "rejects.toThrow()";
  if (method === "GET" && path.startsWith(`${TASK}/`) && status === 200 && fault === null) {
    const { data } = JSON.parse(body ?? "");
    return `toMatchObject({ status: "${data.status}", error_code: ${JSON.stringify(data.error_code)} })`;
  }
  return status < 300 || fault?.kind === "malformed" ? "expect(" : String(status);
}

test("the copied test of a request that broke a rule sends both requests, and expects the finding", async () => {
  for (const [name, rule] of Object.entries(BROKEN)) {
    const { code } = await copied(CASES[name] as Case);
    expect(code).toContain(`toMatchObject([{ rule: "${rule}" }])`);
  }
  expect(Object.values(BROKEN)).toHaveLength(4);
});

test("the copied test of a read expects no status and no error code of a later version", async () => {
  const { exchange } = await copied({ send: readEnd({ outcome: "failure" }) });
  const surroundings = {
    seed: 3,
    policy: createEmulator().policy,
    service: new URL(exchange.url ?? "").origin,
  };
  for (const [now, later] of [
    ['"failure"', '"withdrawn"'],
    ['"upstream_provider_error"', '"too_loud"'],
  ] as const) {
    const body = exchange.response_body?.replace(now, later) ?? null;
    const test = testOf(
      { ...exchange, response_body: body },
      { ...surroundings, created: VALID.song, rule: null },
    );
    expect(body).toContain(later);
    expect(test).toContain("resolves.toBeTruthy()");
    expect(test).not.toContain("providers");
  }
});

test("every status and error code of the emulator has a copied test", () => {
  const codes = new Set(Object.values(CASES).map(({ expected: [, code] }) => code));
  const own = ["not_found", "method_not_allowed", "range_not_satisfiable"];
  expect([...codes]).toEqual(expect.arrayContaining([...Object.keys(ERROR_STATUSES), ...own, null]));
});

test("a copied test is named after its request, and without a fetch that could send it there is none", async () => {
  const { exchange, code } = await copied({ send: get("/nothing") });
  expect(code).toContain('test("GET /nothing: 404", ');
  const surroundings = {
    seed: 3,
    policy: createEmulator().policy,
    service: "https://api.async-music.test",
    created: null,
    rule: null,
  };
  expect(testOf({ ...exchange, method: "TRACE" }, surroundings)).toBeNull();
  expect(testOf({ ...exchange, path: "*" }, surroundings)).toBeNull();
  expect(testOf({ ...exchange, url: "https://provider-a.test/nothing" }, surroundings)).toBeNull();
});

test("a copied curl command sends the same request, with the key from the environment", async () => {
  const body = `{"input":"it's $HOME"}`;
  const headers = {
    "x-api-key": "****1234",
    "content-type": "application/json",
    // A second request with the same ID would be mistaken for the first one.
    "X-Request-Id": "order-1",
    host: "music.test",
  };
  const command = curlOf({
    method: "POST",
    url: "https://music.test/api/v1/task",
    request_headers: headers,
    request_body: body,
  });
  const script = command.replace(/^curl/, 'printf "%s\\n"');
  const args = execFileSync("sh", ["-c", script], {
    encoding: "utf8",
    env: { ASYNC_MUSIC_API_KEY: "emu_1" },
  });
  expect(args.trim().split("\n")).toEqual([
    "-X",
    "POST",
    "https://music.test/api/v1/task",
    "-H",
    "x-api-key: emu_1",
    "-H",
    "content-type: application/json",
    "--data-raw",
    body,
  ]);
});

test.each([
  ["HEAD", "/", null, {}, "--head 'https://music.test/'"],
  ["GET", "/a[1]", null, {}, "--globoff 'https://music.test/a[1]'"],
  ["POST", "/", "", {}, `-X POST 'https://music.test/' -H "Content-Type:" --data-raw ''`],
  ["DELETE", "/", null, { "X-A": "it's" }, `-X DELETE 'https://music.test/' -H 'X-A: it'\\''s'`],
])("a copied curl command of %s %s has the right options", (method, path, body, headers, expected) => {
  const sent = { method, url: `https://music.test${path}`, request_headers: headers, request_body: body };
  expect(curlOf(sent).replaceAll(" \\\n  ", " ")).toBe(`curl ${expected}`);
});

test("a copied curl command of a request that was too large to read sends one that is too large", async () => {
  const body = "x".repeat(2 ** 20 + 1);
  const { exchange } = await copied({ send: post(body) });
  const command = curlOf(exchange).replace("| curl", "| printf '%s '");
  expect(command).not.toContain("larger than");
  const args = execFileSync("sh", ["-c", command], { encoding: "utf8" });
  expect(args).toContain("--data-binary @- ");
  const [source = ""] = curlOf(exchange).split(" | curl");
  expect(execFileSync("sh", ["-c", source], { maxBuffer: 2 ** 22 }).byteLength).toBe(2 ** 20 + 1);
});
