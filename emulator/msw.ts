/**
 * The emulator behind MSW, version 2 or 3.
 *
 * @module async-music/emulator/msw
 */

import { HttpResponse, http } from "msw";
import { IN_PROCESS_ORIGINS } from "./api/origins.js";
import type { Emulator } from "./emulator.js";
import { createFetchMount } from "./mounts/fetch-mount.js";
import { mountedOf } from "./mounts/mounted-world.js";

/**
 * Handlers for `setupServer` or `setupWorker` of MSW 2 and 3, which then answer for every origin that the emulator
 * hands out: the API, audio, cover art. A broken connection is `HttpResponse.error()`.
 *
 * MSW takes requests where the emulator can't see them, so that a virtual clock now waits for a few milliseconds of real
 * quiet before it skips; `fetch: emulator.fetch` is faster where a client takes one.
 *
 * @returns handlers of whichever MSW is installed. They are typed as nothing in particular, so that the types of both
 * majors accept them.
 *
 * @example
 * ```ts
 * const server = setupServer(...emulatorHandlers(emulator));
 * ```
 */
export function emulatorHandlers(emulator: Emulator): never[] {
  const mounted = mountedOf(emulator);
  mounted.world.clock.beginPatience();
  const answer = createFetchMount(mounted, {
    origins: IN_PROCESS_ORIGINS,
    onDisconnect: () => HttpResponse.error(),
  });
  const { service: api, providers } = IN_PROCESS_ORIGINS;
  const handlers: unknown[] = [api, ...Object.values(providers)].map((origin) =>
    http.all(`${origin}/*`, ({ request }) => answer(request).catch(networkError(request.signal))),
  );
  return handlers as never[];
}

/** MSW would turn what is thrown into a 500: a caller who gave up gets a broken connection instead. */
function networkError(signal: AbortSignal): (reason: unknown) => Response {
  return (reason) => {
    if (signal.aborted) return HttpResponse.error();
    throw reason;
  };
}
