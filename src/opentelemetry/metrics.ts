import { metrics } from "@opentelemetry/api";
import type { AsyncMusic } from "../client.js";
import { ERROR_STATUSES, MODELS, TASK_ERROR_CODES, TASK_TYPES } from "../contract/service.js";
import { ApiError } from "../errors/api-errors.js";
import { AsyncMusicError, shown, wrongValue } from "../errors/base.js";
import { checkOptions, flagRule, methodsRule } from "../errors/options.js";
import type { ClientEvents, CompletionEvent, ResponseEvent, SubmissionEvent } from "../http/events.js";
import { RecentIds } from "../http/ids.js";
import { parseDate } from "../time/date.js";
import { type BoundedValue, createBoundedValue, OTHER } from "./bounded-values.js";
import { createCounter, createHistogram, METRICS } from "./declared-metrics.js";
import { serverAttributes, templateOf } from "./http-attributes.js";
import type { Meter, ObserveGauge } from "./meter.js";

/** Options of `recordMetrics`. */
export interface MetricsOptions {
  /** A meter of OpenTelemetry. @defaultValue `metrics.getMeter("async-music")` of `@opentelemetry/api` */
  meter?: Meter | undefined;
  /**
   * Record `http.client.request.duration`. Set it to `false` if an instrumentation of `fetch` already does.
   *
   * @defaultValue true
   */
  http?: boolean | undefined;
  /**
   * Add the option `tenant` of each call to `async_music.credits`, as the attribute `async_music.tenant`. Each tenant is
   * three time series: of more than 500 tenants, the later ones are counted together, as `other`.
   *
   * @defaultValue false
   */
  tenants?: boolean | undefined;
}

/** How many values of one attribute are recorded beside those of the interface: the service may name any number. */
const MOST_UNLISTED = 20;

/** Their three states stay below 2000 time series, the default limit of OpenTelemetry's SDK for one metric. */
const MOST_TENANTS = 500;

/**
 * Counts and times what a client does, until the returned function is called: attempts, time in the queue of the rate limit,
 * submissions, tasks by outcome, time to discovery and credits. Call it once per client, before the first request. No attribute
 * contains the API key, a task ID or a prompt. Errors of the meter's instruments are ignored.
 *
 * @returns a function that ends the recording
 * @throws `InvalidOptionError` an option is out of range, or the first argument is no client
 *
 * @example
 * ```ts
 * import { AsyncMusic } from "async-music";
 * import { recordMetrics } from "async-music/opentelemetry";
 *
 * const client = new AsyncMusic({ apiKey, baseUrl });
 * const stop = recordMetrics(client, { tenants: true });
 * stop();
 * ```
 */
export function recordMetrics(client: AsyncMusic, options: MetricsOptions = {}): () => void {
  if (typeof Object(client).on !== "function") throw wrongValue("client", "be a client", shown(client));
  const {
    meter = metrics.getMeter("async-music"),
    http = true,
    tenants = false,
  } = checkOptions(options, OPTIONS);
  const record = createRecorder(client, meter, { http, tenants });
  const stops = [
    client.on("response", record.attempt),
    client.on("admission", record.admission),
    client.on("submission", record.submission),
    client.on("completion", record.completion),
    observeRemaining(client, meter),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

const OPTIONS = {
  meter: methodsRule("createCounter", "createHistogram", "createObservableGauge"),
  http: flagRule,
  tenants: flagRule,
};

/** Returns a function that ends the observation: the meter lives longer than the client. */
function observeRemaining(client: AsyncMusic, meter: Meter): () => void {
  const { name, unit, description } = METRICS.remaining;
  const gauge = meter.createObservableGauge(name, { unit, description });
  const observe: ObserveGauge = (result) => {
    const { remaining } = client.rateLimit;
    if (remaining !== null) result.observe(remaining);
  };
  gauge.addCallback(observe);
  return () => gauge.removeCallback(observe);
}

/** What to record of each event. The function is long because it is the list of the events, whose handlers share the instruments. */
function createRecorder(
  client: AsyncMusic,
  meter: Meter,
  { http, tenants }: { http: boolean; tenants: boolean },
) {
  const countAttempt = createCounter(meter, METRICS.attempts);
  const timeAttempt = http ? createHistogram(meter, METRICS.attemptDuration) : null;
  const timeQueue = createHistogram(meter, METRICS.queueDuration);
  const timeDiscovery = createHistogram(meter, METRICS.discoveryDuration);
  const countSubmission = createCounter(meter, METRICS.submissions);
  const countTask = createCounter(meter, METRICS.tasks);
  const countCredits = createCounter(meter, METRICS.credits);

  const bounded = createBoundedValues(client);
  /** Two waits on one task may both find its end. */
  const ended = new RecentIds();
  const tenantOf = (tenant: string | null) =>
    tenants && tenant !== null ? bounded.tenant(tenant) : undefined;

  return {
    attempt({ method, url, requestId, status, failure, durationMs }: ResponseEvent) {
      const address = new URL(url);
      const counted = status === null ? null : bounded.status(status);
      const attributes = {
        "http.request.method": method,
        // Only audio has no request ID. Its URLs have no template.
        "url.template": requestId === null ? undefined : templateOf(address),
        // The conventions require a number.
        "http.response.status_code": typeof counted === "number" ? counted : undefined,
        "error.type": failure ?? (status !== null && status >= 400 ? String(counted) : undefined),
      };
      countAttempt(1, attributes);
      const isUnlisted = bounded.server(address.host) === OTHER;
      const server = isUnlisted ? { "server.address": OTHER } : serverAttributes(address);
      timeAttempt?.(durationMs / 1000, { ...attributes, ...server });
    },
    admission({ kind, waitedMs }: ClientEvents["admission"]) {
      timeQueue(waitedMs / 1000, { "async_music.request.kind": kind });
    },
    submission({ outcome, model, taskType, tenant, credits, error }: SubmissionEvent) {
      countSubmission(1, {
        "async_music.model": bounded.model(model),
        "async_music.task_type": bounded.taskType(taskType),
        "async_music.outcome": outcome,
        "error.type": error === null ? undefined : errorType(error, bounded.errorCode),
      });
      if (credits !== null)
        countCredits(credits, {
          "async_music.credit.state": "frozen",
          "async_music.tenant": tenantOf(tenant),
        });
    },
    completion({ task, tenant, ...reported }: CompletionEvent) {
      if (!ended.add(task.task_id)) return;
      const kind = {
        "async_music.model": bounded.model(task.model),
        "async_music.task_type": bounded.taskType(task.type),
      };
      countTask(1, {
        ...kind,
        "async_music.outcome": task.status,
        "error.type":
          task.status === "success" ? undefined : bounded.errorCode(task.error_code ?? task.status),
      });
      countCredits(task.credits_cost, {
        "async_music.credit.state": task.status === "success" ? "settled" : "refunded",
        "async_music.tenant": tenantOf(tenant),
      });
      const completedAt = parseDate(task.completed_at);
      if (completedAt !== null) timeDiscovery(Math.max(0, reportedAt(reported) - completedAt) / 1000, kind);
    },
  };
}

/**
 * When the service reported the end of a task, by its own clock in milliseconds since the epoch. `Date` has whole seconds: if the
 * client's clock agrees, it has the rest.
 */
function reportedAt({ date: text, receivedAt }: Pick<CompletionEvent, "date" | "receivedAt">): number {
  const date = parseDate(text);
  return date === null ? receivedAt : Math.min(Math.max(receivedAt, date), date + 999);
}

function createBoundedValues({ baseUrl }: AsyncMusic) {
  const codes = [...Object.keys(ERROR_STATUSES), ...TASK_ERROR_CODES];
  const statuses = [200, 202, 206, ...Object.values(ERROR_STATUSES).filter((status) => status !== null)];
  return {
    model: createBoundedValue(MODELS, MOST_UNLISTED),
    taskType: createBoundedValue(TASK_TYPES, MOST_UNLISTED),
    status: createBoundedValue(statuses, MOST_UNLISTED),
    errorCode: createBoundedValue(codes, MOST_UNLISTED),
    server: createBoundedValue([new URL(baseUrl).host], MOST_UNLISTED),
    tenant: createBoundedValue([], MOST_TENANTS),
  };
}

/** The service's error code, or else the class of the error. */
function errorType(error: unknown, bounded: BoundedValue): string {
  if (error instanceof ApiError && error.errorCode !== null) return bounded(error.errorCode);
  // Any other error is the reason of an abort, and may contain anything.
  return error instanceof AsyncMusicError ? error.name : "aborted";
}
