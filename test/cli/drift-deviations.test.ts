import { describe, expect, test } from "vitest";
import type { DriftReport } from "../../cli/drift/report.js";
import type { Emulator } from "../../emulator/index.js";
import { failWith } from "../support/faults.js";
import {
  account,
  created,
  type Data,
  type Deviation,
  header,
  isAudio,
  json,
  runDrift,
  status,
  task,
  taskIn,
  withBody,
} from "./support/drift.js";

/** The part and the field that report a deviation; what deviates, and how. */
type Table<How> = Readonly<Record<string, Readonly<Record<string, How>>>>;

const rowsOf = <How>(table: Table<How>) =>
  Object.entries(table).flatMap(([kind, rows]) =>
    Object.entries(rows).map(([name, how]) => [name, how, kind] as const),
  );

const errorOf = (code: string, change: object): Deviation =>
  json((body) => (body["error_code"] === code ? { ...body, ...change } : undefined));

const result = (change: (result: Record<string, unknown>[]) => unknown, type = "music"): Deviation =>
  task(({ type: own, status, output }) =>
    own === type && status === "success"
      ? { output: { ...Object(output), result: change(Object(output).result) } }
      : {},
  );

const eachClip = (change: (clip: Data) => object, type?: string): Deviation =>
  result((clips) => clips.map(change), type);

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

const SERVICE: Table<() => Deviation> = {
  "response: status": {
    "another status of success": () => status(202, 200),
    "another status of an error": () => status(404, 410),
    "a status that is not in the body": () => status(404, 400),
    "a list that is accepted": () => (response, request) =>
      response.status === 400 ? acceptIf("[]")(response, request) : response,
  },
  "response: code": {
    "a code that is not the status": () => errorOf("task_not_found", { code: 400 }),
  },
  "response: error_code": {
    "another error code": () => errorOf("invalid_model", { error_code: "invalid_task_input" }),
    "no error code": () => errorOf("invalid_json", { error_code: undefined }),
    "an unknown key that is a missing one": () =>
      errorOf("invalid_api_key", { error_code: "missing_api_key" }),
  },
  "response: message": {
    "a message that is an object": () => errorOf("missing_api_key", { message: {} }),
  },
  "response: hint": {
    "an error with another field": () => errorOf("unsupported_task_type", { hint: "x" }),
  },
  "response: retry_after_seconds": {
    "a retry_after_seconds besides a 429": () =>
      errorOf("missing_required_fields", { retry_after_seconds: 1 }),
  },
  "response: body": {
    "a body that is a list": () => json((body, { url }) => (url.endsWith("/usage") ? [body] : undefined)),
  },
};

const HEADERS: Table<() => Deviation> = {
  "response: X-Request-Id header": {
    "no X-Request-Id": () => header("X-Request-Id", null),
    "an X-Request-Id of its own": () => header("X-Request-Id", "another"),
    "an unsafe X-Request-Id that is repeated": () =>
      header("X-Request-Id", "not safe!", (request) => request.headers.get("X-Request-Id") === "not safe!"),
  },
  "response: X-RateLimit-Remaining header": {
    "no X-RateLimit-Remaining": () => header("X-RateLimit-Remaining", null),
    "no X-RateLimit-Remaining with errors": () =>
      header("X-RateLimit-Remaining", null, ({ method, url }) => method === "GET" && url.includes("/task/")),
  },
  "window: remaining after the first request": {
    "an X-RateLimit-Remaining that is no number": () => header("X-RateLimit-Remaining", "many"),
  },
  "window: change after three more": {
    "an X-RateLimit-Remaining that never changes": () => header("X-RateLimit-Remaining", "119"),
  },
  "response: Retry-After header": {
    "a Retry-After with a success": () => header("Retry-After", "1"),
  },
  "response: Content-Type header": {
    "another Content-Type": () => header("Content-Type", "text/json"),
    "no Content-Type": () => header("Content-Type", null),
  },
};

const CREDITS: Table<() => Deviation> = {
  "response: data.credits_charged": {
    "a higher price with another status of success": () => async (response, request) =>
      status(202, 201)(
        await created(({ type }) => (type === "lyrics" ? { credits_charged: 9 } : {}))(response, request),
        request,
      ),
    "a higher price of an upload": () =>
      created(({ type }) => (type === "upload" ? { credits_charged: 2 } : {})),
    "a price as a string": () => created(() => ({ credits_charged: "5" })),
  },
  "read while pending: data.credits_cost": {
    "another price of a read": () => task(({ type }) => (type === "lyrics" ? { credits_cost: 4 } : {})),
  },
  "credits after: available": {
    "a failure that is settled": () => balanceAfter("failure", { available: -10 }),
    "a failure that is refunded twice": () => balanceAfter("failure", { available: 10 }),
  },
  "credits after: frozen": {
    "a success that stays frozen": () => balanceAfter("success", { frozen: 1 }),
  },
  "credits after the response: frozen": {
    "credits that are not frozen": () => balanceAfter("pending", { available: 10, frozen: -10 }),
  },
  "response: data.total": {
    "a total of its own": () => account("balance", () => ({ total: 1 })),
  },
  "response: data.frozen": {
    "a balance without frozen": () => account("balance", () => ({ frozen: undefined })),
  },
  "response: data.available": {
    "a balance in fractions": () =>
      account("balance", ({ available }) => ({ available: Number(available) + 0.5 })),
  },
  "response: data.tasks_created": {
    "a count of tasks as a string": () =>
      account("usage", ({ tasks_created }) => ({ tasks_created: String(tasks_created) })),
  },
  "credits after the response: tasks_created": {
    "a count of tasks that stays": () => account("usage", () => ({ tasks_created: 7 })),
  },
  "credits after the response: credits_used": {
    "a usage of credits that stays": () => account("usage", () => ({ credits_used: 7 })),
  },
  "response: data.plan": {
    "another field of the usage": () => account("usage", () => ({ plan: "free" })),
  },
};

const TASKS: Table<() => Deviation> = {
  "response: data.created_at": {
    "a created task without its time": () => created(() => ({ created_at: undefined })),
    "a time in milliseconds": () => created(() => ({ created_at: 1.7e12 })),
  },
  "response: data.status": {
    "a created task that runs": () => created(() => ({ status: "running" })),
  },
  "response: data.audio_format": {
    "a format that is not repeated": () => created(() => ({ audio_format: null })),
  },
  "read while pending: data.retryable": {
    "a field that is missing": () => task(() => ({ retryable: undefined })),
  },
  "read while pending: data.queue_position": {
    "another field": () => task(() => ({ queue_position: 3 })),
  },
  "read while success: data.completed_at": {
    "a field of another type": () => taskIn("success", () => ({ completed_at: 5 })),
  },
  "read while pending: data.completed_at": {
    "an end before it has ended": () => task(({ created_at }) => ({ completed_at: created_at })),
  },
  "read while pending: data.input": {
    "another input": () => task(() => ({ input: {} })),
  },
  "read while pending: data.task_id": {
    "another task": () => task(() => ({ task_id: "00000000-0000-4000-8000-000000000001" })),
  },
  "read while pending: data.model": {
    "another model": () => task(() => ({ model: "provider_c" })),
  },
  "read while pending: data.output.task_type": {
    "an output while it is pending": () => task(({ status }) => (status === "pending" ? { output: {} } : {})),
  },
  "read while running: data.output.progress": {
    "an output without progress": () =>
      taskIn("running", ({ output }) => ({ output: { ...Object(output), progress: undefined } })),
    "progress as a number": () =>
      task(({ output }) => (output === null ? {} : { output: { ...Object(output), progress: 50 } })),
  },
  "read while success: data.output.status": {
    "another status of the output": () =>
      taskIn("success", ({ output }) => ({ output: { ...Object(output), status: "done" } })),
  },
  "read while failure: data.error_code": {
    "a failure with another code": () => taskIn("failure", () => ({ error_code: "rate_limited" })),
  },
  "read while failure: data.retryable": {
    "a failure that is retryable": () => taskIn("failure", () => ({ retryable: true })),
  },
  "read while failure: data.error": {
    "a failure without a reason": () => taskIn("failure", () => ({ error: null })),
  },
  "task: order of its states": {
    "a status that the interface does not have": () => taskIn("pending", () => ({ status: "queued" })),
    "states in another order": () =>
      task(({ status }) => ({
        status: { pending: "running", running: "pending" }[String(status)] ?? status,
      })),
    "an end that changes": () => flapping(),
  },
  "task: last status": {
    "a task that fails instead": () =>
      task(({ status, type }) => (status === "success" && type === "lyrics" ? { status: "failure" } : {})),
  },
  "task: read after its end": {
    "an end with other content later": () => later((data) => ({ ...data, retryable: true })),
  },
  "read while success: data.output.result.text": {
    "lyrics without a text": () => result((lyrics) => ({ ...lyrics, text: undefined }), "lyrics"),
  },
  "read while success: data.output.result": {
    "clips that are no array": () => result((clips) => clips[0]),
    "no clips": () => result(() => []),
  },
  "read while success: data.output.result[].audio_url": {
    "a clip without audio": () => eachClip((clip) => ({ ...clip, audio_url: undefined })),
  },
  "read while success: data.output.result[].image_url": {
    "one clip of several without a cover": () =>
      result((clips) => clips.map((clip, index) => (index === 1 ? { ...clip, image_url: null } : clip))),
    "a relative address": () => eachClip((clip) => ({ ...clip, image_url: "/a.png" })),
  },
  "read while success: data.output.result[].metadata.duration": {
    "a length as a string": () =>
      eachClip((clip) => ({ ...clip, metadata: { ...Object(clip["metadata"]), duration: "30" } })),
  },
  "read while success: data.output.result[].id": {
    "an upload without an ID": () => eachClip((clip) => ({ ...clip, id: 5 }), "upload"),
  },
};

const AUDIO: Table<() => Deviation> = {
  "audio: format": {
    "another Content-Type": () => header("Content-Type", "audio/wav", isAudio),
    "a Content-Type that is not its format, of an upload": () =>
      header("Content-Type", "audio/mpeg", isAudio),
  },
  "audio: Content-Type header": {
    "a page": () => header("Content-Type", "text/html", isAudio),
    "no Content-Type": () => header("Content-Type", null, isAudio),
  },
  "audio: download": {
    "no file": () => (response, request) =>
      isAudio(request) ? new Response(null, { status: 404 }) : response,
    "a refused download": () => (response, request) =>
      isAudio(request) ? new Response(null, { status: 403 }) : response,
  },
};

/** Behavior of the emulator itself that deviates. */
const PREPARED: Table<(emulator: Emulator) => void> = {
  "window: remaining after the first request": {
    "a lower rate limit": (emulator) => emulator.changeLimits({ requests: 60 }),
  },
  "window: change after three more": {
    "a shorter window": (emulator) => emulator.changeLimits({ windowSeconds: 10 }),
  },
  "task: last status": {
    "uploads that fail": ({ providers }) => providers.provider_a.always({ outcome: "failure" }),
    "tasks that never end": ({ providers }) => providers.provider_b.always({ outcome: "hang" }),
  },
  "response: status": {
    "a provider that refuses": ({ providers }) => providers.provider_b.always({ outcome: "reject" }),
    "reads that fail": ({ faults }) =>
      faults.add({ method: "GET", path: "/api/v1/task/*", times: 1000, fault: failWith(500) }),
  },
};

const ID = "read while success: data.output.result[].id";

/** Parts that only one side has, clips after the first, and values that no type shows. */
const HIDDEN: Table<() => Deviation> = {
  "failed read: failed read": {
    "a first read that is not found": () => firstReads(404, "task_not_found"),
    "a first read without a body": () => emptyFirstReads(),
  },
  "reads: count": {
    "first reads that have a server error": () => firstReads(500, "internal_error"),
    "reads that have a server error before each success": () => everySecond("/account/usage", 500),
  },
  "audio: download": {
    "a second clip without audio": () => secondClip(),
  },
  "read while success: data.output": {
    "a success without an output": () => taskIn("success", () => ({ output: null })),
  },
  [ID]: {
    "clips with one ID": () => eachClip((clip) => ({ ...clip, id: "x" })),
    "a clip with an empty ID": () => eachClip((clip) => ({ ...clip, id: "" })),
  },
  "read while success: data.output.result[].metadata.duration": {
    "a negative duration": () =>
      eachClip((clip) => ({ ...clip, metadata: { ...Object(clip["metadata"]), duration: -1 } })),
  },
  "read while success: data.output.result[].metadata": {
    "a song without metadata": () => result((clips) => clips.map(({ metadata: _, ...clip }) => clip)),
  },
  "read while success: data.output.result": {
    "lyrics as a list of clips": () =>
      result(() => [{ id: "x", audio_url: "https://example.com/a.mp3" }], "lyrics"),
  },
  "read while running: data.output.result": {
    "a result while it runs": () =>
      taskIn("running", ({ output }) => ({ output: { ...Object(output), result: [] } })),
  },
  "read while failure: data.error_code": {
    "a failure with an undocumented code": () => taskIn("failure", () => ({ error_code: "clip_not_found" })),
    "a failure with no code": () => taskIn("failure", () => ({ error_code: null })),
  },
  "read while success: data.error": {
    "an error beside a success": () => taskIn("success", () => ({ error: "none" })),
  },
  "read while failure: data.retry_after_seconds": {
    "a negative wait": () => taskIn("failure", () => ({ retry_after_seconds: -1 })),
  },
};

const plus = (time: unknown, ms: number) => new Date(Date.parse(String(time)) + ms).toISOString();

const TIMES: Table<() => Deviation> = {
  "response: data.created_at": {
    "a submission in another time zone": () =>
      created(({ created_at: time }) => ({ created_at: plus(time, 3_600_000) })),
    "a submission before its request": () =>
      created(({ created_at: time }) => ({ created_at: plus(time, -3_600_000) })),
  },
  "read while running: data.created_at": {
    "a task that was created at each read": () =>
      task(({ created_at: time, status: own }) => ({ created_at: plus(time, own === "pending" ? 0 : 9000) })),
  },
  "read while failure: data.completed_at": {
    "an end before the creation": () =>
      task(({ created_at: time, completed_at: end }) =>
        end === null ? {} : { completed_at: plus(time, -5000) },
      ),
    "an end before a read without an end": () =>
      task(({ created_at: time, completed_at: end, type }) =>
        end === null || type !== "music" ? {} : { completed_at: plus(time, 1) },
      ),
    "an end in the future": () =>
      task(({ completed_at: end }) => (end === null ? {} : { completed_at: plus(end, 3_600_000) })),
    "no end": () => task(() => ({ completed_at: null })),
  },
  "task: read after its end": {
    "an end that moves": () =>
      later((data) => ({ ...data, completed_at: plus(Reflect.get(data, "completed_at"), 1000) })),
  },
};

const DEVIATIONS = { SERVICE, HEADERS, CREDITS, TASKS, AUDIO, HIDDEN, TIMES };

describe.each(Object.entries(DEVIATIONS))("a deviation is reported: %s", (_, rows) => {
  test.each(rowsOf(rows))("%s", async (name, deviation, kind) => {
    const { status, report } = await runDrift({ deviation: deviation(), maxCredits: creditsFor(name) });
    expect(kindsOf(report)).toContain(kind);
    expect(status).toBe(1);
  });
});

test.each(rowsOf(PREPARED))(
  "an emulator with another behavior is reported: %s",
  async (name, prepare, kind) => {
    const { status, report } = await runDrift({ prepare, maxCredits: creditsFor(name) });
    expect(kindsOf(report)).toContain(kind);
    expect(status).toBe(1);
  },
);

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

/** Uploads are extra tests. */
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
