/** Metrics of a client for Prometheus, on a port of this machine. */

import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { AsyncMusic } from "async-music";
import { recordMetrics } from "async-music/opentelemetry";

/** Serves the metrics of a client. Call it before the first request, and `close` when the process ends. */
export async function serveMetrics(client: AsyncMusic, port: number) {
  const host = "127.0.0.1";
  const exporter = new PrometheusExporter({ host, port, preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const stop = recordMetrics(client, { meter: provider.getMeter("async-music"), tenants: true });
  await exporter.startServer();
  return {
    url: `http://${host}:${port}/metrics`,
    async close() {
      stop();
      await provider.shutdown();
    },
  };
}
