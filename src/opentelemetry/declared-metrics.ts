import type { Meter, MeterAttributes } from "./meter.js";

/** The name, the unit and the attributes of a metric. An attribute is absent from a measurement where it does not apply. */
interface DeclaredMetric {
  readonly name: string;
  readonly kind: "counter" | "histogram" | "gauge";
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
  /** The boundaries of the buckets of a histogram. */
  readonly boundaries?: readonly number[];
}

/** The boundaries of times in a queue and of times to discovery, in seconds: up to the task timeout. */
const WAITING_TIMES = [0.1, 0.5, 1, 2.5, 5, 7.5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];

/** All metrics. The table in docs/opentelemetry.md is checked against this one. */
export const METRICS = {
  attempts: {
    name: "async_music.attempts",
    kind: "counter",
    unit: "{attempt}",
    description: "HTTP attempts, with or without a response. 429s are those with this status.",
    attributes: ["http.request.method", "url.template", "http.response.status_code", "error.type"],
  },
  attemptDuration: {
    name: "http.client.request.duration",
    kind: "histogram",
    unit: "s",
    description: "Duration of HTTP client requests.",
    attributes: [
      "http.request.method",
      "url.template",
      "http.response.status_code",
      "error.type",
      "server.address",
      "server.port",
    ],
    // The boundaries of the semantic conventions.
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  },
  queueDuration: {
    name: "async_music.queue.duration",
    kind: "histogram",
    unit: "s",
    description: "Time for which the rate limit delayed a request.",
    attributes: ["async_music.request.kind"],
    boundaries: WAITING_TIMES,
  },
  discoveryDuration: {
    name: "async_music.discovery.duration",
    kind: "histogram",
    unit: "s",
    description: "Time from the end of a task to the poll that found it.",
    attributes: ["async_music.model", "async_music.task_type"],
    boundaries: WAITING_TIMES,
  },
  submissions: {
    name: "async_music.submissions",
    kind: "counter",
    unit: "{submission}",
    description: "Submissions by what became of the task; an unknown outcome must be settled.",
    attributes: ["async_music.model", "async_music.task_type", "async_music.outcome", "error.type"],
  },
  tasks: {
    name: "async_music.tasks",
    kind: "counter",
    unit: "{task}",
    description: "Tasks whose end a wait or a watch has found, each once.",
    attributes: ["async_music.model", "async_music.task_type", "async_music.outcome", "error.type"],
  },
  credits: {
    name: "async_music.credits",
    kind: "counter",
    unit: "{credit}",
    description: "Credits that were frozen by submissions, and settled or refunded at the ends of tasks.",
    attributes: ["async_music.credit.state", "async_music.tenant"],
  },
  remaining: {
    name: "async_music.rate_limit.remaining",
    kind: "gauge",
    unit: "{request}",
    description: "Requests that are left in the current window of the API key.",
    attributes: [],
  },
} as const satisfies { readonly [metric: string]: DeclaredMetric };

type Declared = typeof METRICS;
type MetricOf<Kind extends DeclaredMetric["kind"]> = Extract<Declared[keyof Declared], { kind: Kind }>;

/** Records a measurement of a declared metric. An attribute that is `undefined` is left out. */
export type Measure<Metric extends DeclaredMetric> = (
  value: number,
  attributes: { [Name in Metric["attributes"][number]]?: string | number | undefined },
) => void;

export function createCounter<Metric extends MetricOf<"counter">>(
  meter: Meter,
  { name, unit, description }: Metric,
): Measure<Metric> {
  const counter = meter.createCounter(name, { unit, description });
  return (value, attributes) => counter.add(value, present(attributes));
}

export function createHistogram<Metric extends MetricOf<"histogram">>(
  meter: Meter,
  { name, unit, description, boundaries }: Metric,
): Measure<Metric> {
  const advice = { explicitBucketBoundaries: [...boundaries] };
  const histogram = meter.createHistogram(name, { unit, description, advice });
  return (value, attributes) => histogram.record(value, present(attributes));
}

function present(attributes: MeterAttributes): MeterAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
