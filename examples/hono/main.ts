/** Runs `app.ts` on a port: `npx node examples/hono/main.ts`, then open http://localhost:3000 in a browser. */

import { serve } from "@hono/node-server";
import { followSongs } from "../web/orders.ts";
import { client, journal } from "../web/settings.ts";
import { createApp } from "./app.ts";

const app = createApp(client, journal);
const port = Number(process.env["PORT"] ?? 3000);
const server = serve({ fetch: app.fetch, port }, (address) =>
  console.log(`Listening on port ${address.port}`),
);

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
await followSongs(client, journal, stop.signal);
server.close();
// A request in flight can finish. The streams end with the process, and their pages connect to the next one.
setTimeout(() => process.exit(), 30_000).unref();
