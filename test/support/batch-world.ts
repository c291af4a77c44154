import { CreditCeilingError, type RunAllOptions, type TaskRequest } from "async-music";
import { all } from "./collect.js";
import { accepted, failed, ok, refusal, succeeded, task } from "./responses.js";
import { createWorld, type SeenRequest } from "./world.js";

export const song = (name: string) =>
  ({ model: "provider_a", task_type: "music", input: { gpt_description_prompt: name } }) as const;
export const songs = (...names: string[]) => names.map(song);
export const many = (count: number) => songs(...Array.from({ length: count }, (_, index) => String(index)));

/** A request that costs less than a song. */
export const CHEAP = { model: "provider_b", task_type: "music", input: { prompt: "folk" } } as const;

/** The journal keys of a batch: one for each request, or one for each prompt. */
export const journalKey = (_: unknown, index: number) => `song-${index}`;
export const promptKey = ({ input }: TaskRequest) => String(Object(input).gpt_description_prompt);

/** A service whose tasks take as many seconds as their prompt says, and fail or are refused where it says so. */
export function batchWorld() {
  const created: { prompt: string; at: number }[] = [];
  const world = createWorld((request) => (request.method === "POST" ? create(request) : read(request)));

  function create({ body, at }: SeenRequest): Response | Promise<Response> {
    const prompt = JSON.parse(body).input.gpt_description_prompt;
    if (prompt === "poor") return refusal(402, "insufficient_credits");
    if (prompt === "redirected") return new Response(null, { status: 302, headers: { Location: "/" } });
    if (prompt === "lost") return Promise.reject(new TypeError("fetch failed"));
    created.push({ prompt, at });
    return accepted({ task_id: `task-${created.length - 1}` });
  }
  function read({ path, at }: SeenRequest): Response {
    const index = Number(path.split("-").at(-1));
    const task_id = `task-${index}`;
    const { prompt, at: createdAt } = created[index] ?? { prompt: "", at: 0 };
    const seconds = Number.parseFloat(prompt) || 0;
    if (at < createdAt + seconds * 1000) return ok(task({ task_id }));
    if (prompt.endsWith("times out")) return ok(failed({ task_id, status: "timeout" }));
    if (prompt.endsWith("is unusable")) return ok(succeeded({ task_id, output: null }));
    return prompt.endsWith("fails") ? ok(failed({ task_id })) : ok(succeeded({ task_id }));
  }
  const runAll = (requests: Iterable<TaskRequest>, options: RunAllOptions = {}) =>
    all(world.client.tasks.runAll(requests, options));
  return { ...world, runAll };
}

/** The class of each result's error. */
export const errorsOf = (results: { error?: unknown }[]) =>
  results.map(({ error }) => (error instanceof Error ? error.constructor : error));

/** The results that were refused for their price. */
export const refusedIn = <Result extends { error?: unknown }>(results: Result[]) =>
  results.filter(({ error }) => error instanceof CreditCeilingError);
