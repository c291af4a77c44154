/**
 * The emulator behind MSW, version 2 or 3.
 *
 * @module async-music/emulator/msw
 */

import { HttpResponse, http } from "msw";
import type { Emulator } from "./control/emulator.js";
import { createFetchMount } from "./http/fetch-mount.js";
import { mountedOf } from "./http/mounted-world.js";

/**
 * Handlers for `setupServer` or `setupWorker` of MSW 2 and 3, which then answer for every address that the emulator
 * hands out: the API, audio, cover art. With `createEmulator({ url })` that is the address of your application's
 * service, and other paths of its host are left alone. A broken connection is `HttpResponse.error()`.
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
    origins: mounted.origins,
    onDisconnect: () => HttpResponse.error(),
  });
  const { service, providers } = mounted.origins;
  const handlers: unknown[] = [service, ...Object.values(providers)].map((address) =>
    http.all(`${address}/*`, ({ request }) => answer(request).catch(networkError(request.signal))),
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
