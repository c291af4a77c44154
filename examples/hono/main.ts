/**
 * Runs `app.ts` on a port.
 *
 * Run it with `npx node examples/hono/main.ts`, and then:
 * `curl -X PUT localhost:3000/songs/1 -d '{ "description": "rain in Lisbon" }'; curl localhost:3000/songs/1`
 */

import { serve } from "@hono/node-server";
import { AsyncMusic, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { fileJournal } from "async-music/node";
import { createApp } from "./app.ts";

// The emulator in this process, which forgets its tasks at the end, unless there is a key for the service.
const hasKey = Boolean(process.env["ASYNC_MUSIC_API_KEY"]);
const client = new AsyncMusic(hasKey ? {} : createEmulator().connection());
const journal = hasKey ? fileJournal("songs.journal") : memoryJournal();
const app = createApp(client, journal);
const port = Number(process.env["PORT"] ?? 3000);
serve({ fetch: app.fetch, port }, (address) => console.log(`Listening on port ${address.port}`));
