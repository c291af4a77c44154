import { sentences } from "../../src/contract/message.js";
import { priceOf } from "../../src/contract/prices.js";
import { ENDPOINTS, type TaskType } from "../../src/contract/service.js";
import type { Clip, Lyrics, Task, TaskFields, TaskOutput, TaskSubmission } from "../../src/contract/task.js";
import { type Account, balanceData, usageData } from "../core/accounts.js";
import { parseOption } from "../core/checks.js";
import { findTask } from "../core/core.js";
import { findViolation } from "../core/policy.js";
import { outcomeSchema, providerReport, scriptFor } from "../core/providers.js";
import { type MadeClip, parseInput, type StoredTask, type SucceededTask } from "../core/task.js";
import { applyTimeouts, createTask, readTask, type TaskOrder } from "../core/transitions.js";
import { isoTime } from "../time/clock.js";
import { handleArt, handleAudio, handleProviderAudio } from "./files.js";
import {
  createResponse,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  type Origins,
  Refusal,
  requireJson,
} from "./messages.js";
import { type Context, inProcessOrigins } from "./service.js";

interface RoutePattern {
  readonly method: string;
  readonly pattern: RegExp;
}

interface KeyRoute extends RoutePattern {
  readonly access: "key";
  readonly status: number;
  readonly handle: (context: Context, account: Account) => object;
}

interface OpenRoute extends RoutePattern {
  readonly access: "open";
  readonly handle: (context: Context) => Promise<HttpResponse>;
}

export const ROUTES: Readonly<Record<HttpRequest["site"], readonly (KeyRoute | OpenRoute)[]>> = {
  service: [
    keyRoute(ENDPOINTS.createTask, handleCreateTask),
    keyRoute(ENDPOINTS.retrieveTask, handleRetrieveTask),
    keyRoute(ENDPOINTS.balance, handleAccount(balanceData)),
    keyRoute(ENDPOINTS.usage, handleAccount(usageData)),
    ...openRoute("/audio/{clipId}", handleAudio),
    ...openRoute("/openapi.json", handleOpenApi),
    ...openRoute("/", handleWelcome),
  ],
  provider: [
    ...openRoute("/{model}/audio/{clipId}", handleProviderAudio),
    ...openRoute("/{model}/art/{clipId}/{size}", handleArt),
  ],
};

function keyRoute(
  { method, path, status }: { method: string; path: string; status: number },
  handle: KeyRoute["handle"],
): KeyRoute {
  return { method, pattern: patternOf(path), access: "key", status, handle };
}

function openRoute(path: string, handle: OpenRoute["handle"]): OpenRoute[] {
  return ["GET", "HEAD"].map((method) => ({ method, pattern: patternOf(path), access: "open", handle }));
}

/** A parameter in braces matches any string that is not empty and has no slash. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "([^/]+)")}$`);
}

/** Returns the route of a request, or a 404 or 405. `description` is the path of the document that lists all routes. */
export function findRoute<Route extends RoutePattern>(
  routes: readonly Route[],
  { method, path }: { method: string; path: string },
  description: string | null,
): { route: Route; params: string[] } | Refusal {
  const allowed: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (match !== null && route.method === method) return { route, params: match.slice(1) };
    if (match !== null) allowed.push(route.method);
  }
  const allow = allowed.join(", ");
  if (allow !== "") return new Refusal("method_not_allowed", `This path allows only ${allow}.`, { allow });
  const advice = description === null ? "" : ` ${description} lists all paths.`;
  return new Refusal("not_found", `The path does not exist.${advice}`);
}

/** A header with the task's outcome as JSON: the body can be the same as in production. */
export const OUTCOME_HEADER = "X-Emulator-Outcome";

function handleCreateTask(context: Context, account: Account): TaskSubmission {
  const { core, request, json, now } = context;
  if (account.suspended)
    throw new Refusal("account_suspended", "The account is suspended and cannot create tasks.");
  const body = requireJson(request, json);
  const violation = findViolation(body, account.policy ?? core.state.policy);
  if (violation !== null) {
    const issues = violation.issues.map(({ path, message }) => `${path || "the body"} ${message}`);
    throw new Refusal(violation.errorCode, `Invalid request: ${sentences(issues)}`);
  }
  const { model, task_type: type, input, audio_format: audioFormat = null } = body as ValidRequest;
  const outcome = readOutcome(request);
  const credits = priceOf(model, type);

  applyTimeouts(core, account, now);
  const { next, always } = scriptFor(model, account.scripts, core.state.scripts);
  const scripted = outcome ?? next[0] ?? always;
  const task = createTask(core, account, { model, type, credits, input, audioFormat, outcome }, now);
  if (task === "insufficient_credits") {
    const { available } = account.ledger;
    throw new Refusal(task, `The task costs ${credits} credits, but only ${available} are available.`);
  }
  context.outcome = scripted;
  if (task === "upstream_provider_error")
    throw new Refusal(task, "The provider refused the task. No credits are frozen.");
  context.created = task;
  return {
    task_id: task.id,
    type,
    status: "pending",
    credits_charged: credits,
    created_at: isoTime(task.createdAt),
    audio_format: audioFormat,
  };
}

interface ValidRequest extends Pick<TaskOrder, "model" | "input"> {
  task_type: TaskOrder["type"];
  audio_format?: TaskOrder["audioFormat"];
}

function readOutcome({ headers }: HttpRequest) {
  const value = headers.get(OUTCOME_HEADER);
  if (value === null) return null;
  try {
    return parseOption("", outcomeSchema, JSON.parse(value));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal("invalid_request_body", `Invalid ${OUTCOME_HEADER} header: ${reason}`);
  }
}

function handleRetrieveTask({ core, request, now, params }: Context, account: Account): Task {
  const [taskId = ""] = params;
  const found = findTask(core, taskId);
  if (found === undefined || found.accountId !== account.id)
    throw new Refusal("task_not_found", "The account has no task with this ID.");
  const task = readTask(core, account, found, now);
  return taskData(task, now, request.origins);
}

/** Returns data of the account, after the task timeout was applied. */
function handleAccount(dataOf: (account: Account) => object): KeyRoute["handle"] {
  return ({ core, now }, account) => {
    applyTimeouts(core, account, now);
    return dataOf(account);
  };
}

async function handleOpenApi(): Promise<HttpResponse> {
  const { openApiDocument } = await import("../openapi/document.js");
  return jsonResponse(200, openApiDocument());
}

async function handleWelcome({ request }: Context): Promise<HttpResponse> {
  const text = `This is the async-music emulator: a copy of the music service for tests, which charges nothing.\n\nSet ASYNC_MUSIC_BASE_URL=${request.origins.service} and use any client of the service.\n`;
  return createResponse(200, "text/plain; charset=utf-8", text);
}

/** A task as JSON (Resources: Task). Its URLs belong to the adapter of the request. */
export function taskData(task: StoredTask, now: number, origins: Origins): Task {
  const failed = task.status === "failure" || task.status === "timeout";
  const data: TaskFields<TaskType> = {
    task_id: task.id,
    model: task.model,
    type: task.type,
    status: task.status,
    credits_cost: task.credits,
    input: task.input,
    audio_format: task.audioFormat,
    output: outputData(task, now, origins),
    error: failed ? task.error : null,
    error_code: failed ? task.errorCode : null,
    retryable: failed ? task.retryable : null,
    retry_after_seconds: failed ? task.retryAfterSeconds : null,
    created_at: isoTime(task.createdAt),
    completed_at: "completedAt" in task ? isoTime(task.completedAt) : null,
  };
  // The stored task makes type, status and output agree.
  return data as Task;
}

/** The provider's report; `null` before the first one, and after a timeout. */
function outputData(task: StoredTask, now: number, origins: Origins): TaskOutput | null {
  const { type: task_type } = task;
  switch (task.status) {
    case "pending":
    case "timeout":
      return null;
    case "running": {
      const report = providerReport(task.plan, now - task.createdAt, task.reads);
      const progress = "progress" in report ? report.progress : null;
      const status = report.phase === "queued" ? "queued" : "processing";
      return { task_type, status, progress, fail_reason: null, result: null };
    }
    case "success": {
      const result = resultData(task, origins);
      return { task_type, status: "completed", progress: "100%", fail_reason: null, result };
    }
    case "failure":
      return { task_type, status: "failed", progress: null, fail_reason: task.error, result: null };
    default:
      return task satisfies never;
  }
}

function resultData(task: SucceededTask, origins: Origins): Clip[] | Lyrics {
  const { result, plan } = task;
  if (!Array.isArray(result)) return { title: result.title, text: result.text };
  const provider = `${origins.providers[task.model]}/${task.model}`;
  const { storable, alternateUrls } = plan.end;
  const alternates = storable ? withoutProviders(alternateUrls, origins) : alternateUrls;
  const { tags, lyrics, extras } = parseInput(task);
  const musicFields = ({ id, title, durationSeconds }: MadeClip) => ({
    image_url: `${provider}/art/${id}/small`,
    image_large_url: `${provider}/art/${id}/large`,
    title,
    metadata: { duration: durationSeconds, tags, prompt: lyrics, ...extras },
  });
  return result.map((clip) => ({
    id: clip.id,
    audio_url: `${storable ? origins.service : provider}/audio/${clip.id}`,
    ...(task.type === "music" && musicFields(clip)),
    ...(alternates !== null && { alternate_urls: alternates }),
  }));
}

/** Removes URLs at the providers' origins from a stored clip's alternatives; `null` if none is left. */
function withoutProviders(urls: readonly string[] | null, { providers }: Origins): string[] | null {
  const origins = [providers, inProcessOrigins().providers].flatMap((each) => Object.values(each));
  const others = (urls ?? []).filter((url) => !URL.canParse(url) || !origins.includes(new URL(url).origin));
  return others.length > 0 ? others : null;
}
