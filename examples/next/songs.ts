import { AsyncMusic, type Clip } from "async-music";
import { createEmulator } from "async-music/emulator";

/** The fields of a song that a browser receives. */
export type Song =
  | { status: "pending"; progress: string | null }
  | { status: "ready"; clips: readonly Clip[] }
  | { status: "failed"; reason: string | null };

let client: AsyncMusic | undefined;

/** One client for the process, so that all routes share its rate limit. */
export function songClient(): AsyncMusic {
  // The emulator in this process, unless there is a key for the service.
  client ??= new AsyncMusic(process.env["ASYNC_MUSIC_API_KEY"] ? {} : createEmulator().connection());
  return client;
}
