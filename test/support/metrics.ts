import { DataPointType, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";

/** One time series of a metric. */
export interface Series {
  name: string;
  unit: string;
  attributes: Readonly<Record<string, unknown>>;
  /** The count of a counter or a histogram, or the value of a gauge. */
  value: number;
  /** The sum of a histogram; otherwise 0. */
  sum: number;
}

/** A reader without a timer: it collects when a test asks for it. */
class PulledReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A meter of OpenTelemetry's own SDK, and all series that it has. */
export function createMeter() {
  const reader = new PulledReader();
  const provider = new MeterProvider({ readers: [reader] });
  const read = async (): Promise<Series[]> => {
    const { resourceMetrics } = await reader.collect();
    return resourceMetrics.scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .flatMap((metric) => {
        const { name, unit } = metric.descriptor;
        if (metric.dataPointType === DataPointType.HISTOGRAM)
          return metric.dataPoints.map(({ attributes, value: { count, sum = 0 } }) => {
            return { name, unit, attributes, value: count, sum };
          });
        if (metric.dataPointType === DataPointType.EXPONENTIAL_HISTOGRAM) return [];
        return metric.dataPoints.map(({ attributes, value }) => ({ name, unit, attributes, value, sum: 0 }));
      });
  };
  return { meter: provider.getMeter("test"), provider, read };
}

/** The values of a metric by these attributes, in this order, those that differ in others added up. */
export function totals(
  series: readonly Series[],
  name: string,
  ...attributes: string[]
): Record<string, number> {
  const found: Record<string, number> = {};
  for (const each of series) {
    if (each.name !== name) continue;
    const key = attributes.map((attribute) => each.attributes[attribute] ?? "-").join(" ");
    found[key] = (found[key] ?? 0) + each.value;
  }
  return found;
}
