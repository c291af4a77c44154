import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type EmulatorOptions, type Fault } from "async-music/emulator";
import { expect, test } from "vitest";
import type { Exchange } from "../../emulator/dashboard/api.js";
import { curlOf } from "../../emulator/dashboard/views/requests/exchange-code.js";
import { testOf } from "../../emulator/dashboard/views/requests/exchange-test.js";
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
import { runVitest } from "../support/run-vitest.js";

interface Case {
  /** Of the response: the status, or `null` without one, and the error code. */
  expected: readonly [status: number | null, errorCode: string | null];
  options?: EmulatorOptions;
  /** Ends with the request that is copied. */
  send(service: Service): Promise<unknown>;
  /** The body of the request that created the task that is read. */
  created?: object;
}

const UNKNOWN = `${TASK}/00000000-0000-4000-8000-000000000000`;
const MP3 = { ...VALID.song, audio_format: "mp3" };
const MIXED = { ...VALID.custom, input: { ...VALID.custom.input, lyrics: "la" } };
const WITHOUT_KEY = { headers: { "Content-Type": "application/json" } };

function lyricsWith(changes: object) {
  return { ...VALID.lyrics, ...changes };
}

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

function withPolicy(policy: EmulatorOptions["policy"]) {
  return { options: { policy } };
}

/** Reads a task that was created before. */
function readTask(body: object, fault?: Fault): Pick<Case, "send" | "created"> {
  return {
    created: body,
    async send(service) {
      const taskId = await service.create(body);
      if (fault !== undefined) service.fault(fault);
      await service.get(`${TASK}/${taskId}`).catch(() => {});
    },
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
    await emulator
      .fetch(emulator.url + path, { signal, headers: { "x-api-key": "emu_other" } })
      .catch(() => {});
  };
}

const CASES: Readonly<Record<string, Case>> = {
  "an accepted task": { expected: [202, null], send: post(VALID.song) },
  "a task with an outcome": {
    expected: [202, null],
    async send({ emulator, post }) {
      emulator.providers.provider_a.next({ outcome: "failure" });
      await post(VALID.song);
    },
  },
  "fields of both models": {
    expected: [202, null],
    ...withPolicy({ mixed_field_sets: "named_only" }),
    send: post(MIXED),
  },
  "a format of null": {
    expected: [202, null],
    ...withPolicy({ null_audio_format: "omitted" }),
    send: post(lyricsWith({ audio_format: null })),
  },
  "a task that is read": { expected: [200, null], ...readTask(VALID.song) },
  "a read task with fields of both models": {
    expected: [200, null],
    ...withPolicy({ mixed_field_sets: "named_only" }),
    ...readTask(MIXED),
  },
  "the balance": { expected: [200, null], send: get(BALANCE) },
  "the usage": { expected: [200, null], send: get(USAGE) },
  "the description": { expected: [200, null], send: send("/openapi.json", {}) },
  "the start page without a body": { expected: [200, null], send: send("/", { method: "HEAD" }) },

  "no JSON": { expected: [400, "invalid_json"], send: post("{") },
  "no body": { expected: [400, "invalid_json"], send: sendWithJsonType },
  "an array": { expected: [400, "invalid_request_body"], send: post([]) },
  "a string": { expected: [400, "invalid_request_body"], send: post('"song"') },
  "deep JSON": {
    expected: [400, "invalid_request_body"],
    send: post(`${"[".repeat(600)}${"]".repeat(600)}`),
  },
  "another content type": {
    expected: [400, "invalid_request_body"],
    send: post(VALID.song, { "Content-Type": "text/plain" }),
  },
  "a body that is too large": {
    expected: [400, "invalid_request_body"],
    send: post(lyricsWith({ more: "x".repeat(2 ** 20) })),
  },
  "an invalid outcome": {
    expected: [400, "invalid_request_body"],
    send: post(VALID.song, { "X-Emulator-Outcome": "{" }),
  },
  "no input": {
    expected: [400, "missing_required_fields"],
    send: post({ model: "provider_a", task_type: "lyrics" }),
  },
  "another model": { expected: [400, "invalid_model"], send: post(lyricsWith({ model: "provider_c" })) },
  "another task type": {
    expected: [400, "unsupported_task_type"],
    send: post(lyricsWith({ model: "provider_b" })),
  },
  "an empty input": { expected: [400, "invalid_task_input"], send: post(lyricsWith({ input: {} })) },
  "an invalid format": {
    expected: [400, "invalid_audio_format"],
    send: post({ ...MP3, audio_format: "wav" }),
  },
  "an invalid format with another status": {
    expected: [422, "invalid_audio_format"],
    ...withPolicy({ invalid_audio_format_status: 422 }),
    send: post({ ...MP3, audio_format: "wav" }),
  },
  "no conversion": {
    expected: [409, "audio_format_unavailable"],
    ...withPolicy({ audio_conversion: "off", audio_format_unavailable_status: 409 }),
    send: post(MP3),
  },
  "no conversion, later": {
    expected: [202, null],
    async send({ emulator, post }) {
      await post(MP3);
      emulator.changePolicy({ audio_conversion: "off" });
    },
  },

  "no key": {
    expected: [401, "missing_api_key"],
    send: send(TASK, { ...WITHOUT_KEY, method: "POST", body: JSON.stringify(VALID.song) }),
  },
  "no key for the balance": { expected: [401, "missing_api_key"], send: send(BALANCE, {}) },
  "an unknown key": {
    expected: [401, "invalid_api_key"],
    send: send(BALANCE, { headers: { "x-api-key": "emu_other" } }),
  },
  "an unknown key and an invalid request": {
    expected: [401, "invalid_api_key"],
    send: post(lyricsWith({ input: {} }), { "x-api-key": "emu_other" }),
  },
  "an unknown key and no JSON": {
    expected: [401, "invalid_api_key"],
    send: post("{", { "x-api-key": "emu_other" }),
  },
  "too few credits": {
    expected: [402, "insufficient_credits"],
    options: { credits: 3 },
    send: post(VALID.song),
  },
  "a suspended account": { expected: [403, "account_suspended"], send: suspended(VALID.song) },
  "a suspended account and no JSON": { expected: [403, "account_suspended"], send: suspended("{") },
  "an unknown task": { expected: [404, "task_not_found"], send: get(UNKNOWN) },
  "a task ID that is no UUID": { expected: [404, "task_not_found"], send: get(`${TASK}/song`) },
  "an unknown path": { expected: [404, "not_found"], send: get("/api/v1/nothing") },
  "an unknown path without a key": { expected: [404, "not_found"], send: send("/nothing", {}) },
  "a path that ends like a task's": {
    expected: [404, "not_found"],
    send: get(UNKNOWN.replace("/task", "")),
  },
  "an unknown file": { expected: [404, "not_found"], send: send("/audio/nothing", {}) },
  "another method": { expected: [405, "method_not_allowed"], send: sendWithKey("DELETE", TASK) },
  "a balance without a body": {
    expected: [405, "method_not_allowed"],
    send: sendWithKey("HEAD", BALANCE),
  },
  "the rate limit": { expected: [429, "rate_limited"], send: limited(VALID.song) },
  "the rate limit and no JSON": { expected: [429, "rate_limited"], send: limited("{") },
  "the rate limit after a delay": {
    expected: [429, "rate_limited"],
    send: withFault({ kind: "latency", ms: 1 }, limited(VALID.song)),
  },
  "a provider's refusal": {
    expected: [502, "upstream_provider_error"],
    async send({ emulator, post }) {
      emulator.providers.provider_a.always({ outcome: "reject" });
      await post(VALID.song);
    },
  },

  "a whole file": { expected: [200, null], send: readFile("audio_url", {}) },
  "a file without a body": { expected: [200, null], send: readFile("audio_url", { method: "HEAD" }) },
  "a part of a file": {
    expected: [206, null],
    send: readFile("audio_url", { headers: { Range: "bytes=5-9" } }),
  },
  "a file that changed": {
    expected: [200, null],
    send: readFile("audio_url", { headers: { Range: "bytes=5-9", "If-Range": '"other"' } }),
  },
  "a range outside the file": {
    expected: [416, "range_not_satisfiable"],
    send: readFile("audio_url", { headers: { Range: "bytes=999999999-" } }),
  },
  "a provider's file": { expected: [200, null], send: readFile("audio_url", {}, { storable: false }) },
  "a cover": { expected: [200, null], send: readFile("image_large_url", {}) },
  "another method for a cover": {
    expected: [405, "method_not_allowed"],
    send: readFile("image_large_url", { method: "PUT" }),
  },

  ...Object.fromEntries(
    [200, 204, 302, 304, 400, 401, 402, 403, 404, 408, 418, 429, 500, 502, 503].flatMap((status) => {
      const [code = null] = Object.entries(ERROR_STATUSES).find(([, each]) => each === status) ?? [];
      const general = status >= 400 && status < 500 ? "invalid_request_body" : "internal_error";
      const expected = [status, code ?? general] as const;
      const fault = { kind: "status", status, when: "after" } as const;
      return [
        [`a fault with ${status} for a task`, { expected, send: withFault(fault, post(VALID.song)) }],
        [`a fault with ${status} for an invalid task`, { expected, send: withFault(fault, post({})) }],
        [`a fault with ${status} for no JSON`, { expected, send: withFault(fault, post("{")) }],
        [`a fault with ${status} for a read`, { expected, ...readTask(VALID.song, fault) }],
      ] satisfies [string, Case][];
    }),
  ),
  ...Object.fromEntries(
    (["before", "after"] as const).flatMap((when) => {
      const fault = { kind: "disconnect", when } as const;
      return [
        [
          `no response to a task, ${when}`,
          { expected: [null, null], send: withFault(fault, post(VALID.song)) },
        ],
        [`no response without JSON, ${when}`, { expected: [null, null], send: withFault(fault, post("{")) }],
        [`no response to a read, ${when}`, { expected: [null, null], ...readTask(VALID.song, fault) }],
      ] satisfies [string, Case][];
    }),
  ),
  "a stalled request": { expected: [null, null], send: stalled(BALANCE) },
  "a stalled request without a route": { expected: [null, null], send: stalled("/nothing") },
  "a cut response": {
    expected: [200, null],
    send: withFault({ kind: "malformed" }, get(USAGE)),
  },
  "a cut response to a read": { expected: [200, null], ...readTask(VALID.song, { kind: "malformed" }) },
  "a cut error": {
    expected: [402, "insufficient_credits"],
    options: { credits: 0 },
    send: withFault({ kind: "malformed" }, post(VALID.song)),
  },
  "a cut error without JSON": {
    expected: [400, "invalid_json"],
    send: withFault({ kind: "malformed" }, post("{")),
  },
  "a cut file": {
    expected: [200, null],
    async send(service) {
      const [clip] = await clipsOf(service);
      service.fault({ kind: "malformed" });
      await fetchBytes(service, clip.audio_url).catch(() => {});
    },
  },
  "a late response": {
    expected: [200, null],
    send: withFault({ kind: "latency", ms: 600_000 }, get(BALANCE)),
  },
};

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
async function copied({ options = {}, created, send }: Omit<Case, "expected">) {
  const service = createControlled({ seed: 3, ...options });
  await send(service);
  const { control, emulator } = service;
  const { body: exchange }: { body: Exchange } = await control(
    "GET",
    `/exchanges/${emulator.requests.length}`,
  );
  const { policy, url } = emulator;
  return { exchange, code: testOf(exchange, { seed: 3, policy, service: url, created: created ?? null }) };
}

test("a copied test passes against an emulator, for each status and error code", async () => {
  const folder = mkdtempSync(join(tmpdir(), "async-music-copied-"));
  try {
    /** By the imports: a file for each test would take minutes. */
    const files = new Map<string, string[]>();
    for (const [name, { expected, ...given }] of Object.entries(CASES)) {
      const { exchange, code } = await copied(given);
      expect([name, exchange.status, exchange.error_code]).toEqual([name, ...expected]);
      const [imports = "", test = ""] = code?.split(/^test\(".*?", /m) ?? [];
      expect([name, test]).not.toEqual([name, ""]);
      files.set(imports, [...(files.get(imports) ?? []), `test(${JSON.stringify(name)}, ${test}`]);
    }
    for (const [index, [imports, tests]] of [...files].entries())
      writeFileSync(join(folder, `${index}.test.ts`), imports + tests.join("\n"));
    const errors = await runVitest(folder, { alias });
    expect(new Map([...errors].filter(([, messages]) => messages.length > 0))).toEqual(new Map());
    expect([...errors.keys()]).toEqual(expect.arrayContaining(Object.keys(CASES)));
  } finally {
    rmSync(folder, { recursive: true });
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
  };
  expect(testOf({ ...exchange, method: "TRACE" }, surroundings)).toBeNull();
  expect(testOf({ ...exchange, path: "*" }, surroundings)).toBeNull();
  expect(testOf({ ...exchange, url: "https://provider-a.test/nothing" }, surroundings)).toBeNull();
});

test("a copied curl command sends the same request, with the key from the environment", async () => {
  const body = `{"input":"it's $HOME"}`;
  const headers = { "x-api-key": "****1234", "content-type": "application/json", host: "music.test" };
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
    "--data-binary",
    body,
  ]);
});

test.each([
  ["HEAD", "/", null, {}, "--head 'https://music.test/'"],
  ["GET", "/a[1]", null, {}, "--globoff 'https://music.test/a[1]'"],
  ["POST", "/", "", {}, `-X POST 'https://music.test/' -H "Content-Type:" --data-binary ''`],
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
