import { isRecord, type TaskType } from "../../src/contract/service.js";
import type { EncodedFormat } from "../audio/formats.js";
import { type Random, randomChoice } from "../time/random.js";

/** An object of a response. */
export type JsonObject = Record<string, unknown>;

/** What a provider does with a task, as far as a version decides it. */
export interface UnscriptedOutcome {
  readonly process_seconds?: number;
  readonly clips?: number;
  readonly format?: EncodedFormat;
}

/** One thing that a later version of the service does in another way. What it rewrites are copies. */
export interface Change {
  /** In one sentence. */
  readonly description: string;
  readonly task?: (task: JsonObject) => void;
  /** Of a finished task that makes clips. */
  readonly clip?: (clip: JsonObject) => void;
  readonly submission?: (submission: JsonObject) => void;
  /** The balance, or the usage. */
  readonly account?: (data: JsonObject) => void;
  readonly error?: (body: JsonObject) => void;
  /** The whole body of a success. */
  readonly envelope?: (body: JsonObject) => void;
  readonly headers?: (headers: Record<string, string>) => void;
  /** What the providers do with a task that no script decides on. */
  readonly outcome?: (type: TaskType) => UnscriptedOutcome;
}

const FAILED = ["failure", "timeout"];
const OPTIONAL_FIELDS = [
  "audio_format",
  "error",
  "error_code",
  "retryable",
  "retry_after_seconds",
  "completed_at",
];

/** Texts that today's messages never have. */
const TEXTS = [
  "",
  "Der Dienst hat die Anfrage abgelehnt.",
  "要求を処理できませんでした。",
  `Something went wrong: ${"please try again later. ".repeat(120)}`,
  'line one\nline two\ttabbed {"json": true} <b>bold</b> `code` %s',
];

/** Values of new fields: of every JSON type, and with names that objects already have. */
const NEW_FIELDS: JsonObject = {
  stage: "mastering",
  priority: 3,
  is_preview: false,
  region: null,
  labels: ["a", 1, null],
  usage: { seconds: 1.5, constructor: "none", toString: null },
  constructor: "v2",
};

/**
 * What the interface lets the service change without a new version of its path: extra properties are accepted for
 * compatibility, provider fields come and go, prose is reworded, durations are only typical, and the default format may
 * change (Versioning, Errors, Limits, Resources). Nothing that it requires is dropped.
 */
export const CHANGES: Readonly<Record<string, (random: Random) => Change>> = {
  pending_status: drawn(["accepted", "queued", "scheduled"], (status) => ({
    description: `A task that waits has the status ${status}.`,
    task: replaceIf("status", "pending", status),
    submission: replaceIf("status", "pending", status),
  })),
  running_status: drawn(["rendering", "in_review", "RUNNING"], (status) => ({
    description: `A task that a provider works on has the status ${status}.`,
    task: replaceIf("status", "running", status),
  })),
  final_status: drawn(["rejected", "cancelled"], (status) => ({
    description: `A task that a provider could not finish has the status ${status}.`,
    task: replaceIf("status", "failure", status),
  })),
  internal_status: drawn(["mixing", "done", "archived"], (status) => ({
    description: `The provider's own status is ${status}.`,
    task: ({ output }) => isRecord(output) && replace(output, "status", status),
  })),
  output_type: drawn(["song", "music.v2"], (type) => ({
    description: `The output of a music task has the type ${type}.`,
    task: ({ output }) => isRecord(output) && replaceIf("task_type", "music", type)(output),
  })),
  progress: drawn(["3 of 7", "almost", null], (progress) => ({
    description: `The progress is ${progress ?? "always null"}.`,
    task: ({ output }) => isRecord(output) && replace(output, "progress", progress),
  })),
  failure_code: drawn(["voice_not_licensed", "provider_capacity", "artist_name_in_prompt"], (code) => ({
    description: `A task that has failed has the error code ${code}.`,
    task: (task) => typeof task["error_code"] === "string" && replace(task, "error_code", code),
  })),
  failure_prose: drawn(TEXTS, (text) => ({
    description: "The reason of a failed task is worded in another way.",
    task(task) {
      if (typeof task["error"] === "string") replace(task, "error", text);
      const { output } = task;
      if (isRecord(output) && output["fail_reason"] !== null) replace(output, "fail_reason", text);
    },
  })),
  failure_wait: drawn([0, 1, 86_400], (seconds) => ({
    description: `A failed task states a wait of ${seconds} s.`,
    task: (task) => FAILED.includes(String(task["status"])) && replace(task, "retry_after_seconds", seconds),
  })),
  error_code: drawn(["request_not_possible", "blocked_by_rule", "E4711"], (code) => ({
    description: `The codes of refusals are finer: ${code}.`,
    // The codes of a 404, a 429 and of the credits are what the interface tells clients to branch on.
    error: (body) => [400, 401, 403].includes(Number(body["code"])) && replace(body, "error_code", code),
  })),
  error_prose: drawn(TEXTS, (text) => ({
    description: "The messages of errors are worded in another way.",
    error: (body) => replace(body, "message", text),
  })),
  error_fields: () => ({
    description: "Errors have further fields.",
    error: (body) =>
      Object.assign(body, {
        details: [{ path: "input.prompt", reason: "too long" }],
        documentation_url: "https://docs.example/errors",
      }),
  }),
  task_fields: newFields("Tasks have further fields.", "task"),
  clip_fields: newFields("Clips have further fields.", "clip"),
  submission_fields: newFields("Submissions have further fields.", "submission"),
  account_fields: newFields("The balance and the usage have further fields.", "account"),
  envelope_fields: newFields("Responses have further fields beside `data`.", "envelope"),
  fields_of_clips: () => ({
    description: "Provider-specific fields of clips are gone, and so is the cover art.",
    clip(clip) {
      for (const name of ["image_url", "image_large_url", "alternate_urls"]) delete clip[name];
      const { metadata } = clip;
      if (isRecord(metadata)) replace(clip, "metadata", { duration: metadata["duration"] });
    },
  }),
  omitted_nulls: () => ({
    description: "Optional fields that are null are left out.",
    task(task) {
      for (const name of OPTIONAL_FIELDS) if (task[name] === null) delete task[name];
    },
  }),
  times: () => ({
    description: "Times have microseconds and an offset.",
    task: rewriteTimes,
    submission: rewriteTimes,
  }),
  headers: () => ({
    description: "Responses have further headers, and another spelling of their media type.",
    headers: (headers) =>
      Object.assign(headers, {
        "Content-Type": "application/json; charset=utf-8",
        Deprecation: "@1798761600",
        "RateLimit-Policy": '"default";q=120;w=60',
      }),
  }),
  no_remainder: () => ({
    description: "No response tells how many requests are left.",
    headers: (headers) => delete headers["X-RateLimit-Remaining"],
  }),
  durations: drawn([0, 2, 700, 3000], (process_seconds) => ({
    description: `Providers work for ${process_seconds} s on each task.`,
    outcome: () => ({ process_seconds }),
  })),
  clips: drawn([1, 3, 5], (clips) => ({
    description: `A song comes as ${clips} clips.`,
    outcome: (type) => (type === "music" ? { clips } : {}),
  })),
  default_format: drawn(["wav", "mp3"], (format) => ({
    description: `Audio comes as ${format} unless a request names a format.`,
    outcome: () => ({ format }),
  })),
};

/** A change with a value that the seed of the future selects. */
function drawn<const Value>(values: readonly Value[], changeTo: (value: Value) => Change) {
  return (random: Random): Change => changeTo(randomChoice(random, values));
}

function replace(json: JsonObject, name: string, value: unknown): void {
  json[name] = value;
}

function replaceIf(name: string, today: string, value: string) {
  return (json: JsonObject): void => {
    if (json[name] === today) replace(json, name, value);
  };
}

function rewriteTimes(json: JsonObject): void {
  for (const name of ["created_at", "completed_at"])
    if (typeof json[name] === "string")
      replace(json, name, json[name].replace(/\.(\d{3})Z$/, ".$1417+00:00"));
}

function newFields(description: string, part: "task" | "clip" | "submission" | "account" | "envelope") {
  return (): Change => ({ description, [part]: (json: JsonObject) => void Object.assign(json, NEW_FIELDS) });
}
