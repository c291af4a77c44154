import { AsyncMusic, type Clip, isMusic, progressOf, type Task } from "async-music";
import { createEmulator } from "async-music/emulator";

/** The fields of a song that a browser receives. `progress` is from 0 to 1. */
export type Song =
  | { status: "pending"; progress: number }
  | { status: "ready"; clips: readonly Clip[] }
  | { status: "failed"; reason: string | null };

// Next.js may load this module once for each route. A client in the global object is one for all of them.
const shared: typeof globalThis & { songService?: SongService } = globalThis;

interface SongService {
  client: AsyncMusic;
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

/** Requests audio, which needs no key. Of the emulator, only this function reaches it. */
export const fetchAudio: typeof fetch = (url, init) => songService().fetch(url, init);

function songService(): SongService {
  shared.songService ??= isEmulated() ? emulatedService() : { client: new AsyncMusic(), fetch };
  return shared.songService;
}

/** The emulator in this process. A song takes half a minute, and all of them are lost when the process ends. */
function emulatedService(): SongService {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ queue_seconds: 3, process_seconds: 27 });
  const connection = emulator.connection();
  return { client: new AsyncMusic(connection), fetch: connection.fetch };
}

export function songOf(task: Task): Song {
  if (task.status === "failure" || task.status === "timeout")
    return { status: "failed", reason: task.error_code };
  if (task.status === "success" && isMusic(task)) return { status: "ready", clips: task.output.result };
  return { status: "pending", progress: progressOf(task) };
}
