/** Runs `app.mjs` on a port: `npx node examples/express/main.mjs`, then open http://localhost:3000 in a browser. */

import { followSongs } from "../web/orders.ts";
import { client, journal } from "../web/settings.ts";
import { createApp } from "./app.mjs";

const server = createApp(client, journal).listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on port ${server.address().port}`);
});

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
await followSongs(client, journal, stop.signal);
server.close();
// A request in flight can finish. The streams end with the process, and their pages connect to the next one.
setTimeout(() => process.exit(), 30_000).unref();
