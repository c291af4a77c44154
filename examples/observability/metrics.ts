/** Metrics of a client for Prometheus, on a port of this machine. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { AsyncMusic } from "async-music";
import { recordMetrics } from "async-music/opentelemetry";

/** Serves the metrics of a client. Call it before the first request, and `close` when the process ends. */
export async function serveMetrics(client: AsyncMusic, port: number) {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const stop = recordMetrics(client, { meter: provider.getMeter("async-music"), tenants: true });
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/metrics`,
    async close() {
      stop();
      server.closeAllConnections();
      server.close();
      await provider.shutdown();
    },
  };
}
