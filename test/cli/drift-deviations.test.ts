import { describe, expect, test } from "vitest";
import type { Emulator } from "../../emulator/index.js";
import {
  account,
  created,
  type Deviation,
  header,
  isApi,
  isAudio,
  json,
  linesOf,
  runDrift,
  status,
  task,
  withBody,
} from "./support/drift.js";

/** What deviates, how, and a line that reports it. */
type Row = readonly [name: string, deviation: () => Deviation, line: string | RegExp];

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
  ["another status of success", () => status(202, 200), "lyrics, response: status 200 <> 202"],
  ["another status of an error", () => status(404, 410), "unknown task, response: status 410 <> 404"],
  ["a status that is not in the body", () => status(404, 400), "unknown task, response: status 400 <> 404"],
  [
    "a code that is not the status",
    () => errorOf("task_not_found", { code: 400 }),
    "unknown task, response: code 400 <> 404",
  ],
  [
    "another error code",
    () => errorOf("invalid_model", { error_code: "invalid_task_input" }),
    "unknown model, response: error_code invalid_task_input <> invalid_model",
  ],
  [
    "no error code",
    () => errorOf("invalid_json", { error_code: undefined }),
    "body that is not JSON, response: error_code missing <> invalid_json",
  ],
  [
    "a message that is an object",
    () => errorOf("missing_api_key", { message: {} }),
    "no API key, response: message object <> string",
  ],
  [
    "an error with another field",
    () => errorOf("unsupported_task_type", { hint: "x" }),
    "task type of the other model, response: hint string <> missing",
  ],
  [
    "a retry_after_seconds besides a 429",
    () => errorOf("missing_required_fields", { retry_after_seconds: 1 }),
    "missing model, response: retry_after_seconds whole number <> missing",
  ],
  [
    "an unknown key that is a missing one",
    () => errorOf("invalid_api_key", { error_code: "missing_api_key" }),
    "unknown API key, response: error_code missing_api_key <> invalid_api_key",
  ],
  [
    "a body that is not JSON",
    () =>
      (response, { url }) =>
        url.endsWith("/usage") ? new Response("<p>", response) : response,
    "usage, response: body not JSON <> JSON object",
  ],
  [
    "a body that is a list",
    () => json((body, { url }) => (url.endsWith("/usage") ? [body] : undefined)),
    "usage, response: body JSON array <> JSON object",
  ],
  [
    "a list that is accepted",
    () => (response, request) => (response.status === 400 ? acceptIf("[]")(response, request) : response),
    "body that is a list, response: status 202 <> 400",
  ],
];

const HEADERS: readonly Row[] = [
  [
    "no X-Request-Id",
    () => header("X-Request-Id", null),
    "balance, response: X-Request-Id header missing <> the request's",
  ],
  [
    "an X-Request-Id of its own",
    () => header("X-Request-Id", "another"),
    "balance, response: X-Request-Id header the service's own <> the request's",
  ],
  [
    "an unsafe X-Request-Id that is repeated",
    () =>
      header("X-Request-Id", "not safe!", (request) => request.headers.get("X-Request-Id") === "not safe!"),
    "unsafe request ID, response: X-Request-Id header the request's <> the service's own",
  ],
  [
    "no X-RateLimit-Remaining",
    () => header("X-RateLimit-Remaining", null),
    "lyrics, response: X-RateLimit-Remaining header missing <> whole number",
  ],
  [
    "no X-RateLimit-Remaining with errors",
    () =>
      header("X-RateLimit-Remaining", null, ({ method, url }) => method === "GET" && url.includes("/task/")),
    "unknown task, response: X-RateLimit-Remaining header missing <> whole number",
  ],
  [
    "an X-RateLimit-Remaining that is no number",
    () => header("X-RateLimit-Remaining", "many"),
    "rate limit window, window: remaining after the first request missing <> 119",
  ],
  [
    "an X-RateLimit-Remaining that never changes",
    () => header("X-RateLimit-Remaining", "119"),
    "rate limit window, window: change after three more 0 <> -3",
  ],
  [
    "a Retry-After with a success",
    () => header("Retry-After", "1"),
    "balance, response: Retry-After header whole number <> missing",
  ],
  [
    "another Content-Type",
    () => (response, request) =>
      isApi(request) ? header("Content-Type", "text/json")(response, request) : response,
    "balance, response: Content-Type header text/json <> application/json",
  ],
  [
    "no Content-Type",
    () => (response, request) =>
      isApi(request) ? header("Content-Type", null)(response, request) : response,
    "balance, response: Content-Type header missing <> application/json",
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
    "lyrics, response: data.credits_charged 9 <> 5",
  ],
  [
    "a higher price",
    () => created(({ type }) => (type === "upload" ? { credits_charged: 2 } : {})),
    "upload as MP3, response: data.credits_charged 2 <> 1",
  ],
  [
    "a price as a string",
    () => created(() => ({ credits_charged: "5" })),
    "lyrics, response: data.credits_charged 5 <> 5",
  ],
  [
    "another price of a read",
    () => task(({ type }) => (type === "lyrics" ? { credits_cost: 4 } : {})),
    "lyrics, read while success: data.credits_cost 4 <> 5",
  ],
  [
    "a failure that is settled",
    () => balanceAfter("failure", { available: -10 }),
    "continuation of an unknown clip, credits at the end: available 0 <> 10",
  ],
  [
    "a failure that is refunded twice",
    () => balanceAfter("failure", { available: 10 }),
    "continuation of an unknown clip, credits at the end: available 20 <> 10",
  ],
  [
    "a success that stays frozen",
    () => balanceAfter("success", { frozen: 1 }),
    "upload as MP3, credits at the end: frozen 0 <> -1",
  ],
  [
    "credits that are not frozen",
    () => balanceAfter("pending", { available: 10, frozen: -10 }),
    "continuation of an unknown clip, credits after the response: frozen 0 <> 10",
  ],
  [
    "a total of its own",
    () => account("balance", () => ({ total: 1 })),
    "balance, response: data.total another number <> available + frozen",
  ],
  [
    "a balance without frozen",
    () => account("balance", () => ({ frozen: undefined })),
    "balance, response: data.frozen missing <> whole number",
  ],
  [
    "a balance in fractions",
    () => account("balance", ({ available }) => ({ available: Number(available) + 0.5 })),
    "balance, response: data.available fraction <> whole number",
  ],
  [
    "a count of tasks as a string",
    () => account("usage", ({ tasks_created }) => ({ tasks_created: String(tasks_created) })),
    "usage, response: data.tasks_created string <> whole number",
  ],
  [
    "a count of tasks that stays",
    () => account("usage", () => ({ tasks_created: 7 })),
    "lyrics, credits after the response: tasks_created 0 <> 1",
  ],
  [
    "a usage of credits that stays",
    () => account("usage", () => ({ credits_used: 7 })),
    "lyrics, credits after the response: credits_used 0 <> 5",
  ],
  [
    "another field of the usage",
    () => account("usage", () => ({ plan: "free" })),
    "usage, response: data.plan string <> missing",
  ],
];

const TASKS: readonly Row[] = [
  [
    "a created task without its time",
    () => created(() => ({ created_at: undefined })),
    "lyrics, response: data.created_at missing <> date-time",
  ],
  [
    "a time in milliseconds",
    () => created(() => ({ created_at: 1.7e12 })),
    "lyrics, response: data.created_at whole number <> date-time",
  ],
  [
    "a created task that runs",
    () => created(() => ({ status: "running" })),
    "lyrics, response: data.status running <> pending",
  ],
  [
    "a format that is not repeated",
    () => created(() => ({ audio_format: null })),
    "upload as MP3, response: data.audio_format null <> mp3",
  ],
  [
    "a field that is missing",
    () => task(() => ({ retryable: undefined })),
    "lyrics, read while success: data.retryable missing <> null",
  ],
  [
    "another field",
    () => task(() => ({ queue_position: 3 })),
    "lyrics, read while pending: data.queue_position whole number <> missing",
  ],
  [
    "a field of another type",
    () => task(({ status }) => (status === "success" ? { completed_at: 5 } : {})),
    "lyrics, read while success: data.completed_at whole number <> date-time",
  ],
  [
    "an end before it has ended",
    () => task(({ created_at }) => ({ completed_at: created_at })),
    "lyrics, read while pending: data.completed_at date-time <> null",
  ],
  [
    "another input",
    () => task(() => ({ input: {} })),
    "lyrics, read while pending: data.input object <> as sent",
  ],
  [
    "another task",
    () => task(() => ({ task_id: "00000000-0000-4000-8000-000000000001" })),
    "lyrics, read while pending: data.task_id UUID <> the task's",
  ],
  [
    "another model",
    () => task(() => ({ model: "provider_c" })),
    "lyrics, read while pending: data.model provider_c <> provider_a",
  ],
  [
    "an output while it is pending",
    () => task(({ status }) => (status === "pending" ? { output: {} } : {})),
    "lyrics, read while pending: data.output object <> null",
  ],
  [
    "an output without progress",
    () =>
      task(({ status, output }) =>
        status === "running" ? { output: { ...Object(output), progress: undefined } } : {},
      ),
    /read while running: data.output.progress missing <> string/,
  ],
  [
    "progress as a number",
    () => task(({ output }) => (output === null ? {} : { output: { ...Object(output), progress: 50 } })),
    "lyrics, read while success: data.output.progress whole number <> string",
  ],
  [
    "another status of the output",
    () =>
      task(({ status, output }) =>
        status === "success" ? { output: { ...Object(output), status: "done" } } : {},
      ),
    "lyrics, read while success: data.output.status done <> completed",
  ],
  [
    "a failure with another code",
    () => task(({ status }) => (status === "failure" ? { error_code: "rate_limited" } : {})),
    "concat of an unknown clip, read while failure: data.error_code rate_limited <> invalid_task_input",
  ],
  [
    "a failure that is retryable",
    () => task(({ status }) => (status === "failure" ? { retryable: true } : {})),
    "concat of an unknown clip, read while failure: data.retryable true <> false",
  ],
  [
    "a failure without a reason",
    () => task(({ status }) => (status === "failure" ? { error: null } : {})),
    "concat of an unknown clip, read while failure: data.error null <> string",
  ],
  [
    "a status that the interface does not have",
    () => task(({ status }) => (status === "pending" ? { status: "queued" } : {})),
    /lyrics, task: order of its states queued, .*<> pending, running, final/,
  ],
  [
    "states in another order",
    () =>
      task(({ status }) => ({
        status: { pending: "running", running: "pending" }[String(status)] ?? status,
      })),
    /task: order of its states running, pending, .*<> pending, running, final/,
  ],
  [
    "a task that fails instead",
    () =>
      task(({ status, type }) => (status === "success" && type === "lyrics" ? { status: "failure" } : {})),
    "lyrics, task: last status failure <> success",
  ],
  ["an end that changes", () => flapping(), /lyrics, task: order of its states .*success, running <>/],
  [
    "an end with other content later",
    () => later((data) => ({ ...data, retryable: true })),
    "lyrics, task: read after its end changed <> unchanged",
  ],
  [
    "lyrics without a text",
    () => result((lyrics) => ({ ...lyrics, text: undefined }), "lyrics"),
    "lyrics, read while success: data.output.result.text missing <> string",
  ],
  [
    "clips that are no array",
    () => result((clips) => clips[0]),
    "song by provider_b, read while success: data.output.result object <> array",
  ],
  [
    "no clips",
    () => result(() => []),
    "song by provider_b, read while success: data.output.result empty array <> array",
  ],
  [
    "a clip without audio",
    () => result((clips) => clips.map((clip) => ({ ...clip, audio_url: undefined }))),
    "song by provider_b, read while success: data.output.result[].audio_url missing <> URL",
  ],
  [
    "one clip of several without a cover",
    () => result((clips) => clips.map((clip, index) => (index === 1 ? { ...clip, image_url: null } : clip))),
    "song by provider_a, read while success: data.output.result[].image_url URL or null <> URL",
  ],
  [
    "a relative address",
    () => result((clips) => clips.map((clip) => ({ ...clip, image_url: "/a.png" }))),
    "song by provider_b, read while success: data.output.result[].image_url string <> URL",
  ],
  [
    "a length as a string",
    () =>
      result((clips) =>
        clips.map((clip) => ({ ...clip, metadata: { ...Object(clip["metadata"]), duration: "30" } })),
      ),
    "song by provider_b, read while success: data.output.result[].metadata.duration string <> number",
  ],
  [
    "an upload without an ID",
    () => result((clips) => clips.map((clip) => ({ ...clip, id: 5 })), "upload"),
    "upload as MP3, read while success: data.output.result[].id whole number <> string",
  ],
];

const AUDIO: readonly Row[] = [
  [
    "another Content-Type",
    () => header("Content-Type", "audio/wav", isAudio),
    "song by provider_b, audio: Content-Type header audio/wav <> audio/mpeg",
  ],
  [
    "a page",
    () => header("Content-Type", "text/html", isAudio),
    "upload as MP3, audio: Content-Type header text/html <> audio/mpeg",
  ],
  [
    "a Content-Type that is not its format",
    () => header("Content-Type", "audio/mpeg", isAudio),
    "upload with unknown fields, audio: format not as stated <> as stated",
  ],
  [
    "no Content-Type",
    () => header("Content-Type", null, isAudio),
    "song by provider_b, audio: Content-Type header application/octet-stream <> audio/mpeg",
  ],
  [
    "no file",
    () => (response, request) => (isAudio(request) ? new Response(null, { status: 404 }) : response),
    "song by provider_b, audio: download AudioExpiredError <> missing",
  ],
  [
    "a refused download",
    () => (response, request) => (isAudio(request) ? new Response(null, { status: 403 }) : response),
    "song by provider_b, audio: download HTTP 403 <> missing",
  ],
];

/** Behavior of the emulator itself that deviates. */
const PREPARED: readonly (readonly [name: string, prepare: (emulator: Emulator) => void, line: string])[] = [
  [
    "a lower rate limit",
    (emulator) => emulator.changeLimits({ requests: 60 }),
    "rate limit window, window: remaining after the first request 59 <> 119",
  ],
  [
    "a shorter window",
    (emulator) => emulator.changeLimits({ windowSeconds: 10 }),
    "rate limit window, window: change after three more -2 <> -3",
  ],
  [
    "an own format of the provider",
    ({ providers }) => providers.provider_b.always({ format: "wav" }),
    "song by provider_b, audio: Content-Type header audio/wav <> audio/mpeg",
  ],
  [
    "uploads that fail",
    ({ providers }) => providers.provider_a.always({ outcome: "failure" }),
    "upload as MP3, task: last status failure <> success",
  ],
  [
    "tasks that never end",
    ({ providers }) => providers.provider_b.always({ outcome: "hang" }),
    "song by provider_b, task: last status timeout <> success",
  ],
  [
    "a provider that refuses",
    ({ providers }) => providers.provider_b.always({ outcome: "reject" }),
    "song by provider_b, response: status 502 <> 202",
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
    "unknown task, response: status 500 <> 404",
  ],
];

describe.each([
  ["the service", SERVICE],
  ["headers", HEADERS],
  ["credits", CREDITS],
  ["tasks", TASKS],
  ["audio", AUDIO],
])("a deviation of %s is reported:", (_, rows) => {
  test.each(rows)("%s", async (_name, deviation, line) => {
    const { status, report } = await runDrift({ deviation: deviation() });
    const matching = typeof line === "string" ? expect.stringContaining(line) : expect.stringMatching(line);
    expect(linesOf(report)).toContainEqual(matching);
    expect(status).toBe(1);
  });
});

test.each(PREPARED)("an emulator with another behavior is reported: %s", async (_, prepare, line) => {
  const { status, report } = await runDrift({ prepare });
  expect(linesOf(report)).toContainEqual(expect.stringContaining(line));
  expect(status).toBe(1);
});

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
