/** Runs `app.mjs` on a port: `npx node examples/express/main.mjs`, then open http://localhost:3000 in a browser. */

import { followSongs } from "../web/orders.ts";
import { client, journal } from "../web/settings.ts";
import { endWhenStopped, stopping } from "../web/stop.ts";
import { createApp } from "./app.mjs";

const server = createApp(client, journal, stopping).listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on port ${server.address().port}`);
});

endWhenStopped(server);
await followSongs(client, journal, stopping);
