/**
 * Runs `app.mjs` on a port.
 *
 * Run it with `npx node examples/express/main.mjs`, and then:
 * `curl -X PUT localhost:3000/songs/1 -d '{ "description": "rain in Lisbon" }'; curl localhost:3000/songs/1/events`
 */

import { AsyncMusic, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { fileJournal } from "async-music/node";
import { createApp, resumeOrders } from "./app.mjs";

// The emulator in this process, which forgets its tasks at the end, unless there is a key for the service.
const hasKey = Boolean(process.env.ASYNC_MUSIC_API_KEY);
const client = new AsyncMusic(hasKey ? {} : createEmulator().connection());
const journal = hasKey ? fileJournal("songs.journal") : memoryJournal();
await resumeOrders(client, journal);
const server = createApp(client, journal).listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on port ${server.address().port}`);
});
