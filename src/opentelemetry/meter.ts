/** The attributes of a measurement. */
export interface MeterAttributes {
  [name: string]: string | number | undefined;
}

/** The unit and the description of an instrument, and the boundaries of a histogram's buckets. */
export interface InstrumentSettings {
  unit: string;
  description: string;
  advice?: { explicitBucketBoundaries: number[] };
}

/** Called at each collection. */
export type ObserveGauge = (result: { observe(value: number): void }) => void;

/** The part of OpenTelemetry's `Meter` that is used: `metrics.getMeter(…)` of `@opentelemetry/api` is one. */
export interface Meter {
  createCounter(
    name: string,
    options: InstrumentSettings,
  ): { add(value: number, attributes: MeterAttributes): void };
  createHistogram(
    name: string,
    options: InstrumentSettings,
  ): { record(value: number, attributes: MeterAttributes): void };
  createObservableGauge(
    name: string,
    options: InstrumentSettings,
  ): { addCallback(observe: ObserveGauge): void; removeCallback(observe: ObserveGauge): void };
}
