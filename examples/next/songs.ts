import { AsyncMusic, type Journal, memoryJournal } from "async-music";
import { createEmulator } from "async-music/emulator";
import { fileJournal } from "async-music/node";
import { followSongs } from "./orders.ts";

// Next.js may load this module once for each route. A client in the global object is one for all of them.
const shared: typeof globalThis & { songService?: SongService } = globalThis;

interface SongService {
  client: AsyncMusic;
  journal: Journal;
  fetch: typeof fetch;
}

/** Whether songs are simulated, since there is no key for the service. */
export const isEmulated = (): boolean => !process.env["ASYNC_MUSIC_API_KEY"];

/**
 * One client for the process, so that all routes share its rate limit.
 *
 * @throws InvalidOptionError a setting is missing; the message names its variable
 */
export const songClient = (): AsyncMusic => songService().client;

/** The orders. The directory must be on a durable disk: use `postgresJournal` or `redisJournal` on a platform without one. */
export const songJournal = (): Journal => songService().journal;

/** Waits for the songs of all orders. Without a setting, there is no client, and the page names the setting. */
export async function followInBackground(): Promise<void> {
  try {
    await followSongs(songClient(), songJournal(), new AbortController().signal);
  } catch (error) {
    console.error(error);
  }
}

/** Requests audio, which needs no key. Of the emulator, only this function reaches it. */
export const fetchAudio: typeof fetch = (url, init) => songService().fetch(url, init);

function songService(): SongService {
  shared.songService ??= isEmulated()
    ? emulatedService()
    : {
        client: new AsyncMusic(),
        journal: fileJournal(process.env["SONGS_JOURNAL"] ?? "songs.journal"),
        fetch,
      };
  return shared.songService;
}

/** The emulator in this process. A song takes half a minute, and all of them are lost when the process ends. */
function emulatedService(): SongService {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ queue_seconds: 3, process_seconds: 27 });
  const connection = emulator.connection();
  return { client: new AsyncMusic(connection), journal: memoryJournal(), fetch: connection.fetch };
}
