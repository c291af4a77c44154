/** Runs `app.mjs` on a port: `npx node examples/express/main.mjs`, then open http://localhost:3000 in a browser. */

import { followSongs } from "../web/orders.ts";
import { client, journal } from "../web/settings.ts";
import { createApp } from "./app.mjs";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => stop.abort());
const server = createApp(client, journal, stop.signal).listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on port ${server.address().port}`);
});

await followSongs(client, journal, stop.signal);
// Orders in flight can finish: the process ends by itself when they have, and after 30 s in any case.
server.close();
setTimeout(() => process.exit(), 30_000).unref();
