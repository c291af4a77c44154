/**
 * Spans and metrics that follow OpenTelemetry's semantic conventions.
 *
 * @module async-music/opentelemetry
 */

export type { InstrumentSettings, Meter, MeterAttributes, ObserveGauge } from "./meter.js";
export { type MetricsOptions, recordMetrics } from "./metrics.js";
export { type OpenTelemetryOptions, withOpenTelemetry } from "./spans.js";
