/** A server that responds at once, streams the progress of each song, and continues its orders after a restart. */

import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import express from "express";
import { orderSong, readSong, songEvents } from "../web/orders.ts";

const page = fileURLToPath(new URL("../web/page.html", import.meta.url));

/**
 * The streams end when `stopping` is aborted, and the pages connect again.
 *
 * `PUT /songs/:order` orders a song under a name that the caller chooses, and can be repeated: one name is one song.
 * `GET /songs/:order` returns its status, and `GET /songs/:order/events` streams its progress to the `EventSource` of a
 * page.
 */
export function createApp(client, journal, stopping) {
  const app = express();
  app.use(express.json({ type: () => true }));
  app.get("/", (_, response) => response.sendFile(page));
  app.put("/songs/:order", async ({ params, body }, response) =>
    send(response, await orderSong(client, journal, params.order, body?.description)),
  );
  app.get("/songs/:order", async ({ params }, response) =>
    send(response, await readSong(client, journal, params.order)),
  );
  app.get("/songs/:order/events", async ({ params }, response) => {
    // The polling ends when the page is closed. In Node 22, `request.signal` is `undefined`.
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const signal = AbortSignal.any([gone.signal, stopping]);
    send(response, await songEvents(client, journal, params.order, signal));
  });
  return app;
}

function send(response, { status, headers, body }) {
  response.writeHead(status, Object.fromEntries(headers));
  Readable.fromWeb(body).pipe(response);
}
