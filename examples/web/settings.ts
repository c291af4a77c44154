/** The client and the journal of a server. Without `ASYNC_MUSIC_API_KEY`, they use an emulator that ends with the process. */

import { AsyncMusic, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { fileJournal } from "async-music/node";

const hasKey = Boolean(process.env["ASYNC_MUSIC_API_KEY"]);

export const client = hasKey ? new AsyncMusic() : await emulated();
export const journal = hasKey ? fileJournal("songs.journal") : memoryJournal();

/** On a port, so that the page can play the audio. */
async function emulated(): Promise<AsyncMusic> {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ queue_seconds: 3, process_seconds: 27 });
  const { url } = await serve(emulator);
  return new AsyncMusic({ apiKey: emulator.apiKey, baseUrl: url });
}
