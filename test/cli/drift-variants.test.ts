import { describe, expect, test } from "vitest";
import type { Emulator } from "../../emulator/index.js";
import {
  created,
  type Data,
  type Deviation,
  header,
  json,
  linesOf,
  runDrift,
  task,
  taskIn,
  withBody,
} from "./support/drift.js";

const clips = (change: (clip: Data) => object): Deviation =>
  task(({ output, type }) => {
    const { result }: { result: unknown } = Object(output);
    if (!Array.isArray(result)) return {};
    return {
      output: {
        ...Object(output),
        result: result.map((clip) => ({ ...clip, ...change({ ...clip, type }) })),
      },
    };
  });

const outputOf = (
  statuses: readonly string[],
  change: (output: Data | null, data: Data) => unknown,
): Deviation =>
  task((data) =>
    statuses.includes(String(data["status"]))
      ? { output: change(data["output"] === null ? null : Object(data["output"]), data) }
      : {},
  );

const OPEN = ["pending", "running"];
const empty = ({ type }: Data, status: string) => ({
  ...{ task_type: type, status, progress: null, fail_reason: null, result: null },
});

/** What the interface leaves open. */
const VARIANTS: Readonly<Record<string, () => Deviation>> = {
  "no output while unfinished": () => outputOf(OPEN, () => null),
  "an absent output while unfinished": () => outputOf(OPEN, () => undefined),
  "an output while pending": () => outputOf(["pending"], (_, data) => empty(data, "queued")),
  "no output after a failure": () => outputOf(["failure"], () => null),
  "an output after a failure": () => outputOf(["failure"], (_, data) => empty(data, "failed")),
  "no progress": () =>
    outputOf(["running", "success", "failure"], (output) => output && { ...output, progress: null }),
  "progress in words": () =>
    outputOf(["running", "success"], (output) => output && { ...output, progress: "almost there" }),
  "queued while running": () => outputOf(["running"], (output) => output && { ...output, status: "queued" }),
  "other messages": () => json((body) => ("message" in body ? { ...body, message: "Nope." } : undefined)),
  "another reason of a failure": () => task(({ error }) => (error === null ? {} : { error: "Nope." })),
  "an unknown clip that the provider refuses": () =>
    taskIn("failure", () => ({ error_code: "upstream_provider_error", retryable: true })),
  "a failure with a stated wait": () => taskIn("failure", () => ({ retry_after_seconds: 30 })),
  "fields of a provider": () => clips(() => ({ bpm: 90, lyric_timing: [{ at: 1 }], image_large_url: "x" })),
  "metadata of a provider": () =>
    clips(({ type, metadata }) =>
      type === "music" ? { metadata: { ...Object(metadata), key: "C", tags: ["folk"], prompt: null } } : {},
    ),
  "times with an offset": () =>
    task((data) => {
      const shift = (time: unknown) =>
        typeof time === "string"
          ? new Date(Date.parse(time) + 20_700_000).toISOString().replace("Z", "+05:45")
          : time;
      return { created_at: shift(data["created_at"]), completed_at: shift(data["completed_at"]) };
    }),
  "times in whole seconds": () =>
    created(({ created_at: time }) => ({ created_at: String(time).replace(/\.\d+Z/, "Z") })),
  "no created_at in a read": () => task(() => ({ created_at: null })),
  "a charset": () => header("Content-Type", "application/json; charset=utf-8"),
  "a 401 without X-RateLimit-Remaining": () => (response, request) =>
    response.status === 401 ? header("X-RateLimit-Remaining", null)(response, request) : response,
  "other headers": () => header("Server-Timing", "total;dur=5"),
  "fields in another order": () => reversed(),
  "addresses that are signed at each read": () => {
    let reads = 0;
    return clips(({ audio_url: url }) => ({ audio_url: `${url}?signature=${reads++}` }));
  },
  "a clip that is checked before the task is created": () => unknownClipRefused(),
};

/** The same of the emulator itself. */
const PREPARED: Readonly<Record<string, (emulator: Emulator) => void>> = {
  "another format of a provider's own audio": ({ providers }) =>
    providers.provider_b.always({ format: "wav" }),
  "a provider that makes MP3": ({ providers }) => providers.provider_a.always({ format: "mp3" }),
  "another number of clips": ({ providers }) => providers.provider_a.always({ clips: 4 }),
  "tasks that have ended at their first read": ({ providers }) => {
    for (const each of Object.values(providers)) each.always({ queue_seconds: 0, process_seconds: 0 });
  },
};

describe("what the interface leaves open is not drift:", () => {
  test.each(Object.entries(VARIANTS))("%s", async (_, variant) => {
    const { report, status } = await runDrift({ deviation: variant() });
    expect([linesOf(report), status]).toEqual([[], 0]);
  });

  test.each(Object.entries(PREPARED))("%s", async (_, prepare) => {
    const { report, status } = await runDrift({ prepare });
    expect([linesOf(report), status]).toEqual([[], 0]);
  });
});

function reversed(): Deviation {
  const reverse = (value: unknown): unknown =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, each]) => [name, reverse(each)]),
        )
      : value;
  return json((body) => reverse(body));
}

/** Requests with an unknown clip are refused. What the emulator did with them is taken back in the account. */
function unknownClipRefused(): Deviation {
  const held = { tasks: 0, credits: 0 };
  return async (response, request) => {
    if (
      request.method === "POST" &&
      response.status === 202 &&
      /_clip_id|"clip_id"/.test(await request.text())
    ) {
      const { data } = await response.clone().json();
      held.tasks++;
      held.credits += data.credits_charged;
      const body = { code: 400, error_code: "invalid_task_input", message: "There is no such clip." };
      return withBody(response, body, 400);
    }
    return json((body, { url }) => {
      const { data } = body;
      if (url.endsWith("/balance") && data !== undefined) {
        const available = Number(data["available"]) + held.credits;
        return { ...body, data: { ...data, available, frozen: Number(data["frozen"]) - held.credits } };
      }
      if (!url.endsWith("/usage") || data === undefined) return undefined;
      const tasks_created = Number(data["tasks_created"]) - held.tasks;
      return {
        ...body,
        data: { ...data, tasks_created, credits_used: Number(data["credits_used"]) - held.credits },
      };
    })(response, request);
  };
}
