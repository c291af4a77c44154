/** Runs `app.ts` on a port: `npx node examples/hono/main.ts`, then open http://localhost:3000 in a browser. */

import { serve } from "@hono/node-server";
import { followSongs } from "../web/orders.ts";
import { client, journal } from "../web/settings.ts";
import { createApp } from "./app.ts";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => stop.abort());
const app = createApp(client, journal, stop.signal);
const port = Number(process.env["PORT"] ?? 3000);
const server = serve({ fetch: app.fetch, port }, (address) =>
  console.log(`Listening on port ${address.port}`),
);

await followSongs(client, journal, stop.signal);
// Orders in flight can finish: the process ends by itself when they have, and after 30 s in any case.
server.close();
setTimeout(() => process.exit(), 30_000).unref();
