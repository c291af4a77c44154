import { describe, expect, test } from "vitest";
import type { DriftReport } from "../../cli/drift/report.js";
import type { Emulator } from "../../emulator/index.js";
import {
  account,
  created,
  type Deviation,
  header,
  isApi,
  isAudio,
  json,
  runDrift,
  status,
  task,
  withBody,
} from "./support/drift.js";

/** What deviates, how, and the part and the field that report it. */
type Row = readonly [name: string, deviation: () => Deviation, kind: string];

const errorOf = (code: string, change: object): Deviation =>
  json((body) => (body["error_code"] === code ? { ...body, ...change } : undefined));

const result = (change: (result: Record<string, unknown>[]) => unknown, type = "music"): Deviation =>
  task(({ type: own, status, output }) =>
    own === type && status === "success"
      ? { output: { ...Object(output), result: change(Object(output).result) } }
      : {},
  );

/** Changes the balance from the moment at which a task is created or read with this status. */
const balanceAfter = (wanted: string, change: { available?: number; frozen?: number }): Deviation => {
  let happened = 0;
  return json((body, { url, method }) => {
    const { data = {} } = body;
    if (data["status"] === wanted && (method === "POST") === (wanted === "pending")) happened = 1;
    if (!url.endsWith("/balance") || body.data === undefined) return undefined;
    const available = Number(data["available"]) + happened * (change.available ?? 0);
    const frozen = Number(data["frozen"]) + happened * (change.frozen ?? 0);
    return { ...body, data: { available, frozen, total: available + frozen } };
  });
};

const SERVICE: readonly Row[] = [
  ["another status of success", () => status(202, 200), "response: status"],
  ["another status of an error", () => status(404, 410), "response: status"],
  ["a status that is not in the body", () => status(404, 400), "response: status"],
  ["a code that is not the status", () => errorOf("task_not_found", { code: 400 }), "response: code"],
  [
    "another error code",
    () => errorOf("invalid_model", { error_code: "invalid_task_input" }),
    "response: error_code",
  ],
  ["no error code", () => errorOf("invalid_json", { error_code: undefined }), "response: error_code"],
  ["a message that is an object", () => errorOf("missing_api_key", { message: {} }), "response: message"],
  ["an error with another field", () => errorOf("unsupported_task_type", { hint: "x" }), "response: hint"],
  [
    "a retry_after_seconds besides a 429",
    () => errorOf("missing_required_fields", { retry_after_seconds: 1 }),
    "response: retry_after_seconds",
  ],
  [
    "an unknown key that is a missing one",
    () => errorOf("invalid_api_key", { error_code: "missing_api_key" }),
    "response: error_code",
  ],
  [
    "a body that is not JSON",
    () =>
      (response, { url }) =>
        url.endsWith("/usage") ? new Response("<p>", response) : response,
    "response: body",
  ],
  [
    "a body that is a list",
    () => json((body, { url }) => (url.endsWith("/usage") ? [body] : undefined)),
    "response: body",
  ],
  [
    "a list that is accepted",
    () => (response, request) => (response.status === 400 ? acceptIf("[]")(response, request) : response),
    "response: status",
  ],
];

const HEADERS: readonly Row[] = [
  ["no X-Request-Id", () => header("X-Request-Id", null), "response: X-Request-Id header"],
  ["an X-Request-Id of its own", () => header("X-Request-Id", "another"), "response: X-Request-Id header"],
  [
    "an unsafe X-Request-Id that is repeated",
    () =>
      header("X-Request-Id", "not safe!", (request) => request.headers.get("X-Request-Id") === "not safe!"),
    "response: X-Request-Id header",
  ],
  [
    "no X-RateLimit-Remaining",
    () => header("X-RateLimit-Remaining", null),
    "response: X-RateLimit-Remaining header",
  ],
  [
    "no X-RateLimit-Remaining with errors",
    () =>
      header("X-RateLimit-Remaining", null, ({ method, url }) => method === "GET" && url.includes("/task/")),
    "response: X-RateLimit-Remaining header",
  ],
  [
    "an X-RateLimit-Remaining that is no number",
    () => header("X-RateLimit-Remaining", "many"),
    "window: remaining after the first request",
  ],
  [
    "an X-RateLimit-Remaining that never changes",
    () => header("X-RateLimit-Remaining", "119"),
    "window: change after three more",
  ],
  ["a Retry-After with a success", () => header("Retry-After", "1"), "response: Retry-After header"],
  [
    "another Content-Type",
    () => (response, request) =>
      isApi(request) ? header("Content-Type", "text/json")(response, request) : response,
    "response: Content-Type header",
  ],
  [
    "no Content-Type",
    () => (response, request) =>
      isApi(request) ? header("Content-Type", null)(response, request) : response,
    "response: Content-Type header",
  ],
];

const CREDITS: readonly Row[] = [
  [
    "a higher price with another status of success",
    () => async (response, request) =>
      status(202, 201)(
        await created(({ type }) => (type === "lyrics" ? { credits_charged: 9 } : {}))(response, request),
        request,
      ),
    "response: data.credits_charged",
  ],
  [
    "a higher price of an upload",
    () => created(({ type }) => (type === "upload" ? { credits_charged: 2 } : {})),
    "response: data.credits_charged",
  ],
  ["a price as a string", () => created(() => ({ credits_charged: "5" })), "response: data.credits_charged"],
  [
    "another price of a read",
    () => task(({ type }) => (type === "lyrics" ? { credits_cost: 4 } : {})),
    "read while pending: data.credits_cost",
  ],
  [
    "a failure that is settled",
    () => balanceAfter("failure", { available: -10 }),
    "credits after: available",
  ],
  [
    "a failure that is refunded twice",
    () => balanceAfter("failure", { available: 10 }),
    "credits after: available",
  ],
  ["a success that stays frozen", () => balanceAfter("success", { frozen: 1 }), "credits after: frozen"],
  [
    "credits that are not frozen",
    () => balanceAfter("pending", { available: 10, frozen: -10 }),
    "credits after the response: frozen",
  ],
  ["a total of its own", () => account("balance", () => ({ total: 1 })), "response: data.total"],
  [
    "a balance without frozen",
    () => account("balance", () => ({ frozen: undefined })),
    "response: data.frozen",
  ],
  [
    "a balance in fractions",
    () => account("balance", ({ available }) => ({ available: Number(available) + 0.5 })),
    "response: data.available",
  ],
  [
    "a count of tasks as a string",
    () => account("usage", ({ tasks_created }) => ({ tasks_created: String(tasks_created) })),
    "response: data.tasks_created",
  ],
  [
    "a count of tasks that stays",
    () => account("usage", () => ({ tasks_created: 7 })),
    "credits after the response: tasks_created",
  ],
  [
    "a usage of credits that stays",
    () => account("usage", () => ({ credits_used: 7 })),
    "credits after the response: credits_used",
  ],
  ["another field of the usage", () => account("usage", () => ({ plan: "free" })), "response: data.plan"],
];

const TASKS: readonly Row[] = [
  [
    "a created task without its time",
    () => created(() => ({ created_at: undefined })),
    "response: data.created_at",
  ],
  ["a time in milliseconds", () => created(() => ({ created_at: 1.7e12 })), "response: data.created_at"],
  ["a created task that runs", () => created(() => ({ status: "running" })), "response: data.status"],
  [
    "a format that is not repeated",
    () => created(() => ({ audio_format: null })),
    "response: data.audio_format",
  ],
  [
    "a field that is missing",
    () => task(() => ({ retryable: undefined })),
    "read while pending: data.retryable",
  ],
  ["another field", () => task(() => ({ queue_position: 3 })), "read while pending: data.queue_position"],
  [
    "a field of another type",
    () => task(({ status }) => (status === "success" ? { completed_at: 5 } : {})),
    "read while success: data.completed_at",
  ],
  [
    "an end before it has ended",
    () => task(({ created_at }) => ({ completed_at: created_at })),
    "read while pending: data.completed_at",
  ],
  ["another input", () => task(() => ({ input: {} })), "read while pending: data.input"],
  [
    "another task",
    () => task(() => ({ task_id: "00000000-0000-4000-8000-000000000001" })),
    "read while pending: data.task_id",
  ],
  ["another model", () => task(() => ({ model: "provider_c" })), "read while pending: data.model"],
  [
    "an output while it is pending",
    () => task(({ status }) => (status === "pending" ? { output: {} } : {})),
    "read while pending: data.output.task_type",
  ],
  [
    "an output without progress",
    () =>
      task(({ status, output }) =>
        status === "running" ? { output: { ...Object(output), progress: undefined } } : {},
      ),
    "read while running: data.output.progress",
  ],
  [
    "progress as a number",
    () => task(({ output }) => (output === null ? {} : { output: { ...Object(output), progress: 50 } })),
    "read while running: data.output.progress",
  ],
  [
    "another status of the output",
    () =>
      task(({ status, output }) =>
        status === "success" ? { output: { ...Object(output), status: "done" } } : {},
      ),
    "read while success: data.output.status",
  ],
  [
    "a failure with another code",
    () => task(({ status }) => (status === "failure" ? { error_code: "rate_limited" } : {})),
    "read while failure: data.error_code",
  ],
  [
    "a failure that is retryable",
    () => task(({ status }) => (status === "failure" ? { retryable: true } : {})),
    "read while failure: data.retryable",
  ],
  [
    "a failure without a reason",
    () => task(({ status }) => (status === "failure" ? { error: null } : {})),
    "read while failure: data.error",
  ],
  [
    "a status that the interface does not have",
    () => task(({ status }) => (status === "pending" ? { status: "queued" } : {})),
    "task: order of its states",
  ],
  [
    "states in another order",
    () =>
      task(({ status }) => ({
        status: { pending: "running", running: "pending" }[String(status)] ?? status,
      })),
    "task: order of its states",
  ],
  [
    "a task that fails instead",
    () =>
      task(({ status, type }) => (status === "success" && type === "lyrics" ? { status: "failure" } : {})),
    "task: last status",
  ],
  ["an end that changes", () => flapping(), "task: order of its states"],
  [
    "an end with other content later",
    () => later((data) => ({ ...data, retryable: true })),
    "task: read after its end",
  ],
  [
    "lyrics without a text",
    () => result((lyrics) => ({ ...lyrics, text: undefined }), "lyrics"),
    "read while success: data.output.result.text",
  ],
  ["clips that are no array", () => result((clips) => clips[0]), "read while success: data.output.result"],
  ["no clips", () => result(() => []), "read while success: data.output.result"],
  [
    "a clip without audio",
    () => result((clips) => clips.map((clip) => ({ ...clip, audio_url: undefined }))),
    "read while success: data.output.result[].audio_url",
  ],
  [
    "one clip of several without a cover",
    () => result((clips) => clips.map((clip, index) => (index === 1 ? { ...clip, image_url: null } : clip))),
    "read while success: data.output.result[].image_url",
  ],
  [
    "a relative address",
    () => result((clips) => clips.map((clip) => ({ ...clip, image_url: "/a.png" }))),
    "read while success: data.output.result[].image_url",
  ],
  [
    "a length as a string",
    () =>
      result((clips) =>
        clips.map((clip) => ({ ...clip, metadata: { ...Object(clip["metadata"]), duration: "30" } })),
      ),
    "read while success: data.output.result[].metadata.duration",
  ],
  [
    "an upload without an ID",
    () => result((clips) => clips.map((clip) => ({ ...clip, id: 5 })), "upload"),
    "read while success: data.output.result[].id",
  ],
];

const AUDIO: readonly Row[] = [
  ["another Content-Type", () => header("Content-Type", "audio/wav", isAudio), "audio: format"],
  ["a page", () => header("Content-Type", "text/html", isAudio), "audio: Content-Type header"],
  [
    "a Content-Type that is not its format, of an upload",
    () => header("Content-Type", "audio/mpeg", isAudio),
    "audio: format",
  ],
  ["no Content-Type", () => header("Content-Type", null, isAudio), "audio: Content-Type header"],
  [
    "no file",
    () => (response, request) => (isAudio(request) ? new Response(null, { status: 404 }) : response),
    "audio: download",
  ],
  [
    "a refused download",
    () => (response, request) => (isAudio(request) ? new Response(null, { status: 403 }) : response),
    "audio: download",
  ],
];

/** Behavior of the emulator itself that deviates. */
const PREPARED: readonly (readonly [name: string, prepare: (emulator: Emulator) => void, kind: string])[] = [
  [
    "a lower rate limit",
    (emulator) => emulator.changeLimits({ requests: 60 }),
    "window: remaining after the first request",
  ],
  [
    "a shorter window",
    (emulator) => emulator.changeLimits({ windowSeconds: 10 }),
    "window: change after three more",
  ],
  [
    "uploads that fail",
    ({ providers }) => providers.provider_a.always({ outcome: "failure" }),
    "task: last status",
  ],
  [
    "tasks that never end",
    ({ providers }) => providers.provider_b.always({ outcome: "hang" }),
    "task: last status",
  ],
  [
    "a provider that refuses",
    ({ providers }) => providers.provider_b.always({ outcome: "reject" }),
    "response: status",
  ],
  [
    "reads that fail",
    ({ faults }) =>
      faults.add({
        method: "GET",
        path: "/api/v1/task/*",
        times: 1000,
        fault: { kind: "status", status: 500, when: "before" },
      }),
    "response: status",
  ],
];

const ID = "read while success: data.output.result[].id";

/** Parts that only one side has, clips after the first, and values that no type shows. */
const HIDDEN: readonly Row[] = [
  ["a first read that is not found", () => firstReads(404, "task_not_found"), "failed read: failed read"],
  ["first reads that have a server error", () => firstReads(500, "internal_error"), "reads: count"],
  ["a first read without a body", () => emptyFirstReads(), "failed read: failed read"],
  [
    "reads that have a server error before each success",
    () => everySecond("/account/usage", 500),
    "reads: count",
  ],
  ["a second clip without audio", () => secondClip(), "audio: download"],
  [
    "a success without an output",
    () => task(({ status: own }) => (own === "success" ? { output: null } : {})),
    "read while success: data.output",
  ],
  ["clips with one ID", () => result((clips) => clips.map((clip) => ({ ...clip, id: "x" }))), ID],
  ["a clip with an empty ID", () => result((clips) => clips.map((clip) => ({ ...clip, id: "" }))), ID],
  [
    "a negative duration",
    () =>
      result((clips) =>
        clips.map((clip) => ({ ...clip, metadata: { ...Object(clip["metadata"]), duration: -1 } })),
      ),
    "read while success: data.output.result[].metadata.duration",
  ],
  [
    "a song without metadata",
    () => result((clips) => clips.map(({ metadata: _, ...clip }) => clip)),
    "read while success: data.output.result[].metadata",
  ],
  [
    "lyrics as a list of clips",
    () => result(() => [{ id: "x", audio_url: "https://example.com/a.mp3" }], "lyrics"),
    "read while success: data.output.result",
  ],
  [
    "a result while it runs",
    () =>
      task(({ status: own, output }) =>
        own === "running" ? { output: { ...Object(output), result: [] } } : {},
      ),
    "read while running: data.output.result",
  ],
  [
    "a failure with an undocumented code",
    () => task(({ status: own }) => (own === "failure" ? { error_code: "clip_not_found" } : {})),
    "read while failure: data.error_code",
  ],
  [
    "a failure with no code",
    () => task(({ status: own }) => (own === "failure" ? { error_code: null } : {})),
    "read while failure: data.error_code",
  ],
  [
    "an error beside a success",
    () => task(({ status: own }) => (own === "success" ? { error: "none" } : {})),
    "read while success: data.error",
  ],
  [
    "a negative wait",
    () => task(({ status: own }) => (own === "failure" ? { retry_after_seconds: -1 } : {})),
    "read while failure: data.retry_after_seconds",
  ],
];

const plus = (time: unknown, ms: number) => new Date(Date.parse(String(time)) + ms).toISOString();

const TIMES: readonly Row[] = [
  [
    "a submission in another time zone",
    () => created(({ created_at: time }) => ({ created_at: plus(time, 3_600_000) })),
    "response: data.created_at",
  ],
  [
    "a submission before its request",
    () => created(({ created_at: time }) => ({ created_at: plus(time, -3_600_000) })),
    "response: data.created_at",
  ],
  [
    "a task that was created at each read",
    () =>
      task(({ created_at: time, status: own }) => ({ created_at: plus(time, own === "pending" ? 0 : 9000) })),
    "read while running: data.created_at",
  ],
  [
    "an end before the creation",
    () =>
      task(({ created_at: time, completed_at: end }) =>
        end === null ? {} : { completed_at: plus(time, -5000) },
      ),
    "read while failure: data.completed_at",
  ],
  [
    "an end before a read without an end",
    () =>
      task(({ created_at: time, completed_at: end, type }) =>
        end === null || type !== "music" ? {} : { completed_at: plus(time, 1) },
      ),
    "read while failure: data.completed_at",
  ],
  [
    "an end in the future",
    () => task(({ completed_at: end }) => (end === null ? {} : { completed_at: plus(end, 3_600_000) })),
    "read while failure: data.completed_at",
  ],
  ["no end", () => task(() => ({ completed_at: null })), "read while failure: data.completed_at"],
  [
    "an end that moves",
    () => later((data) => ({ ...data, completed_at: plus(Reflect.get(data, "completed_at"), 1000) })),
    "task: read after its end",
  ],
];

const DEVIATIONS = { SERVICE, HEADERS, CREDITS, TASKS, AUDIO, HIDDEN, TIMES };

describe.each(Object.entries(DEVIATIONS))("a deviation is reported: %s", (_, rows) => {
  test.each(rows)("%s", async (name, deviation, kind) => {
    const { status, report } = await runDrift({ deviation: deviation(), maxCredits: creditsFor(name) });
    expect(kindsOf(report)).toContain(kind);
    expect(status).toBe(1);
  });
});

test.each(PREPARED)("an emulator with another behavior is reported: %s", async (name, prepare, kind) => {
  const { status, report } = await runDrift({ prepare, maxCredits: creditsFor(name) });
  expect(kindsOf(report)).toContain(kind);
  expect(status).toBe(1);
});

test("failed reads that are not in a row do not give a task up", async () => {
  let reads = 0;
  const broken = { code: 500, error_code: "internal_error", message: "broken" };
  const deviation: Deviation = (response, { method, url }) =>
    method === "GET" && url.includes("/task/") && response.ok && reads++ % 2 === 1
      ? withBody(response, broken, 500)
      : response;
  const { report } = await runDrift({ deviation });
  expect(reads).toBeGreaterThan(20);
  expect(kindsOf(report).filter((kind) => kind.startsWith("task: "))).toEqual([]);
});

test("at least 90 deviations are tried", () => {
  const rows = [...Object.values(DEVIATIONS), PREPARED];
  expect(rows.reduce((sum, each) => sum + each.length, 0)).toBeGreaterThanOrEqual(90);
});

/** Uploads are extra probes. */
function creditsFor(name: string): number | undefined {
  return /upload/.test(name) ? 22 : undefined;
}

function kindsOf(report: DriftReport | null): string[] {
  return (
    report?.drift.map(({ part, field }) => `${part.replace(/^(credits after) (?!the).*/, "$1")}: ${field}`) ??
    []
  );
}

function gone(): Response {
  return new Response(null, { status: 404 });
}

/** Accepts a request that has to be refused. */
function acceptIf(body: string): Deviation {
  return async (response, request) => {
    if ((await request.text()) !== body) return response;
    return withBody(response, { code: 202, data: {} }, 202);
  };
}

function flapping(): Deviation {
  const ended = new Set<unknown>();
  return task(({ task_id: id, status }) => {
    if (status !== "success") return {};
    if (ended.has(id)) return { status: "running" };
    ended.add(id);
    return {};
  });
}

function later(change: (data: object) => object): Deviation {
  const ended = new Set<unknown>();
  return task((data) => {
    if (data["status"] !== "success") return {};
    if (ended.has(data["task_id"])) return change(data);
    ended.add(data["task_id"]);
    return {};
  });
}

/** The audio of each task's second clip is missing. */
function secondClip(): Deviation {
  const urls = new Set<unknown>();
  const note = result((clips) => {
    urls.add(clips[1]?.["audio_url"]);
    return clips;
  });
  return (response, request) => (urls.has(request.url) ? gone() : note(response, request));
}

/** The first read of each task. */
function isFirstRead(): (request: Request) => boolean {
  const seen = new Set<string>(["00000000-0000-4000-8000-000000000000"]);
  return ({ method, url }) => {
    const id = /\/task\/([\w-]{36})$/.exec(url)?.[1];
    if (method !== "GET" || id === undefined || seen.has(id)) return false;
    seen.add(id);
    return true;
  };
}

function firstReads(status: number, error_code: string): Deviation {
  const isFirst = isFirstRead();
  return (response, request) =>
    isFirst(request) ? withBody(response, { code: status, error_code, message: "x" }, status) : response;
}

function emptyFirstReads(): Deviation {
  const isFirst = isFirstRead();
  return (response, request) => (isFirst(request) ? withBody(response, { code: 200, data: {} }) : response);
}

/** Every second read of this path fails. */
function everySecond(path: string, status: number): Deviation {
  let reads = 0;
  return (response, { url }) =>
    url.endsWith(path) && reads++ % 2 === 0
      ? withBody(response, { code: status, error_code: "internal_error", message: "x" }, status)
      : response;
}
