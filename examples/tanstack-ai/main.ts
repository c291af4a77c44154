/**
 * Generates a song with TanStack AI, and streams the same song: it is charged once.
 *
 * Run it with `npx node examples/tanstack-ai/main.ts`.
 */

import { generateAudio } from "@tanstack/ai";
import { AsyncMusic, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { fileJournal } from "async-music/node";
import { asyncMusicAudio } from "./adapter.ts";

// The emulator in this process, which forgets its tasks at the end, unless there is a key for the service.
const hasKey = Boolean(process.env["ASYNC_MUSIC_API_KEY"]);
const client = new AsyncMusic(hasKey ? {} : createEmulator().connection());
const journal = hasKey ? fileJournal("songs.journal") : memoryJournal();

const song = {
  adapter: asyncMusicAudio("provider_a", { client, journal }),
  prompt: "rain in Lisbon",
  modelOptions: { order: "1" },
};
const { audio, usage } = await generateAudio(song);
console.log(`${audio.url} cost ${usage?.billed?.quantity ?? 0} credits`);

// What `toServerSentEventsResponse` of a server route sends to a page.
for await (const { type } of generateAudio({ ...song, stream: true })) console.log(type);
