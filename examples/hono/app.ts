/** A server that responds at once, streams the progress of each song, and continues its orders after a restart. */

import { readFile } from "node:fs/promises";
import type { AsyncMusic, Journal } from "async-music";
import { Hono } from "hono";
import { orderSong, readSong, songEvents } from "../web/orders.ts";

const page = await readFile(new URL("../web/page.html", import.meta.url), "utf8");

/**
 * The streams end when `stopping` is aborted, and the pages connect again.
 *
 * `PUT /songs/:order` orders a song under a name that the caller chooses, and can be repeated: one name is one song.
 * `GET /songs/:order` returns its status, and `GET /songs/:order/events` streams its progress to the `EventSource` of a
 * page.
 */
export function createApp(client: AsyncMusic, journal: Journal, stopping: AbortSignal): Hono {
  return new Hono()
    .get("/", (context) => context.html(page))
    .put("/songs/:order", async ({ req }) => {
      const body = await req.json().catch(() => null);
      return orderSong(client, journal, req.param("order"), body?.description);
    })
    .get("/songs/:order", ({ req }) => readSong(client, journal, req.param("order")))
    .get("/songs/:order/events", ({ req }) =>
      songEvents(client, journal, req.param("order"), AbortSignal.any([req.raw.signal, stopping])),
    );
}
