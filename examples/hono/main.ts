/**
 * Runs `app.ts` on a port.
 *
 * Run it with `npx node examples/hono/main.ts`, and then:
 * `curl -X PUT localhost:3000/songs/1 -d '{ "description": "rain in Lisbon" }'; curl localhost:3000/songs/1`
 */

import { serve } from "@hono/node-server";
import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { fileJournal } from "async-music/node";
import { createApp } from "./app.ts";

// The emulator in this process, unless there is a key for the service.
const client = new AsyncMusic(process.env["ASYNC_MUSIC_API_KEY"] ? {} : createEmulator().connection());
const app = createApp(client, fileJournal("songs.journal"));
const port = Number(process.env["PORT"] ?? 3000);
serve({ fetch: app.fetch, port }, (address) => console.log(`Listening on port ${address.port}`));
