/** Runs `app.ts` on a port: `npx node examples/hono/main.ts`, then open http://localhost:3000 in a browser. */

import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { followSongs } from "../web/orders.ts";
import { client, journal } from "../web/settings.ts";
import { endWhenStopped, stopping } from "../web/stop.ts";
import { createApp } from "./app.ts";

const app = createApp(client, journal, stopping);
const port = Number(process.env["PORT"] ?? 3000);
const server = serve({ fetch: app.fetch, port }, (address) =>
  console.log(`Listening on port ${address.port}`),
);

endWhenStopped(server as Server);
await followSongs(client, journal, stopping);
