import { AsyncMusic } from "../index.js";
import type { Surroundings } from "./terminal/surroundings.js";
import { UsageError } from "./usage-error.js";

/** The client of the account whose key the environment has. */
export function connect({ baseUrl: given }: { baseUrl?: string }, { env, client }: Surroundings): AsyncMusic {
  const apiKey = env["ASYNC_MUSIC_API_KEY"];
  const baseUrl = given ?? env["ASYNC_MUSIC_BASE_URL"];
  if (!apiKey) {
    throw new UsageError(
      "Expected ASYNC_MUSIC_API_KEY to hold an API key: the service's dashboard makes them, and `async-music emulator` has one that bills nobody",
    );
  }
  if (!baseUrl) {
    throw new UsageError(
      "Expected ASYNC_MUSIC_BASE_URL, or --base-url, to be the service address, without /api/v1",
    );
  }
  return new AsyncMusic({ ...client, apiKey, baseUrl });
}
