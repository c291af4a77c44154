/** How a server of an example ends. */

import type { Server } from "node:http";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => stop.abort());

/** Aborted when the platform stops the process, and by Ctrl-C. */
export const stopping = stop.signal;

/** Lets the requests in flight finish: then the process ends by itself, and after 90 seconds in any case. */
export function endWhenStopped(server: Pick<Server, "close" | "closeIdleConnections">): void {
  const end = () => {
    server.close();
    // A page would use the connection of its ended stream again.
    setInterval(() => server.closeIdleConnections(), 100).unref();
    setTimeout(() => process.exit(), 90_000).unref();
  };
  if (stopping.aborted) end();
  else stopping.addEventListener("abort", end);
}
