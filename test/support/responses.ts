/** Responses of the service as the interface shows them, typed by hand. */

export const TASK_ID = "7f1c0d6e-1b7a-4c58-9b57-3a2f0c9d1e42";
export const OTHER_TASK_ID = "0b8d2c44-5a7e-4f0e-8f3b-6f1f2f9a7c10";

export type Fields = Record<string, unknown>;

export const CLIP = {
  id: "clip-1",
  audio_url: "https://audio.example/clip-1",
  image_url: "https://art.example/clip-1.png",
  title: "Rain",
  metadata: { duration: 31.5, tags: "fado", prompt: "rain" },
};

export const LYRICS = { title: "Rain", text: "[Verse]\nIt rains" };

export const SONG_REQUEST = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
} as const;

export function submission(fields: Fields = {}): Fields {
  return {
    task_id: TASK_ID,
    type: "music",
    status: "pending",
    credits_charged: 10,
    created_at: "2026-01-01T00:00:00Z",
    audio_format: null,
    ...fields,
  };
}

/** The fields of a task that the interface requires. */
export const REQUIRED_TASK = {
  task_id: TASK_ID,
  model: "provider_a",
  type: "music",
  status: "running",
  credits_cost: 10,
};

export function task(fields: Fields = {}): Fields {
  return {
    ...REQUIRED_TASK,
    input: { gpt_description_prompt: "rain in Lisbon" },
    audio_format: null,
    output: null,
    error: null,
    error_code: null,
    retryable: null,
    retry_after_seconds: null,
    created_at: "2026-01-01T00:00:00Z",
    completed_at: null,
    ...fields,
  };
}

export function succeeded(fields: Fields = {}): Fields {
  const output = {
    task_type: "music",
    status: "completed",
    progress: "100%",
    fail_reason: null,
    result: [CLIP],
  };
  return task({ status: "success", output, completed_at: "2026-01-01T00:01:00Z", ...fields });
}

export function failed(fields: Fields = {}): Fields {
  return task({
    status: "failure",
    error: "the provider said no",
    error_code: "content_moderation",
    retryable: false,
    completed_at: "2026-01-01T00:01:00Z",
    ...fields,
  });
}

type HeaderFields = Record<string, string>;

/** The response to a submission, with a new task ID: a client accepts each ID for one submission only. */
export function acceptedAnew(): Response {
  return accepted({ task_id: crypto.randomUUID() });
}

export function taskIdIn({ path }: { path: string }): string {
  return path.split("/").at(-1) ?? "";
}

export function accepted(fields: Fields = {}, headers: HeaderFields = {}): Response {
  return Response.json({ code: 202, data: submission(fields) }, { status: 202, headers });
}

/** The response to this submission, with the type of its request. */
export function acceptedAs({ body }: { body: string }): Response {
  return accepted({ type: JSON.parse(body).task_type ?? "music" });
}

export function ok(data: unknown, headers: HeaderFields = {}): Response {
  return Response.json({ code: 200, data }, { status: 200, headers });
}

export function balance(fields: Fields = {}, headers: HeaderFields = {}): Response {
  return ok({ available: 90, frozen: 10, total: 100, ...fields }, headers);
}

export function usage(fields: Fields = {}): Response {
  return ok({ tasks_created: 3, credits_used: 30, credits_topped_up: 130, ...fields });
}

export function refusal(
  status: number,
  errorCode: string,
  headers: HeaderFields = {},
  fields: Fields = {},
): Response {
  const body = { code: status, error_code: errorCode, message: `Something about ${errorCode}.`, ...fields };
  return Response.json(body, { status, headers });
}

export function limited(seconds: number): Response {
  return refusal(429, "rate_limited", { "Retry-After": String(seconds) }, { retry_after_seconds: seconds });
}

export const running = () => ok(task());
export const done = () => ok(succeeded());

/** Creates the task, and then reports that it succeeded. */
export const serve = ({ method }: { method: string }) => (method === "POST" ? accepted() : done());

/** Creates a new task for each POST, and reports that the task that is read succeeded. */
export const serveAnew = ({ method, path }: { method: string; path: string }) =>
  method === "POST" ? acceptedAnew() : ok(succeeded({ task_id: taskIdIn({ path }) }));

/** A connection that breaks: a POST may have arrived. */
export const lost = () => Promise.reject(new TypeError("fetch failed"));

/** A connection that is never made: nothing was sent. */
export const unreachable = () => Promise.reject(Object.assign(new TypeError("no"), { code: "ECONNREFUSED" }));
