/**
 * Request handlers of the emulator for MSW 2 and 3.
 *
 * @module async-music/emulator/msw
 */

import { HttpResponse, http } from "msw";
import type { Emulator } from "./control/emulator.js";
import { Responder } from "./http/fetch.js";
import { serviceOf } from "./http/service.js";

/**
 * Returns handlers for `setupServer` or `setupWorker` of MSW 2 and 3. They respond at every address of the emulator: the
 * API, audio, cover art. With `createEmulator({ url })` the API is at that address, and other paths of its host are not
 * handled. A broken connection is `HttpResponse.error()`.
 *
 * In a browser, MSW does not report an abort to its handlers. A request with the fault `stall` then stops a virtual clock
 * until `clock.advance` or a reset.
 *
 * The emulator cannot detect requests that MSW has not delivered yet. A virtual clock therefore waits for 4 ms of real time
 * (40 ms in a browser) without a request before it advances by itself. `fetch: emulator.fetch` is faster if your client has such an option.
 *
 * @returns handlers of the installed MSW, typed as `never[]` so that the types of both majors accept them.
 *
 * @example
 * ```ts
 * const server = setupServer(...emulatorHandlers(emulator));
 * ```
 */
export function emulatorHandlers(emulator: Emulator): never[] {
  const service = serviceOf(emulator);
  service.core.clock.activity.beginNetworkUse();
  const responder = new Responder(service, () => HttpResponse.error());
  const { origins } = service;
  const handlers: unknown[] = [origins.service, ...Object.values(origins.providers)].map((address) =>
    http.all(`${address}/*`, ({ request }) =>
      // MSW would turn the rejection of an aborted request into a 500.
      responder.respond(request).catch((reason: unknown) => {
        if (request.signal.aborted) return HttpResponse.error();
        throw reason;
      }),
    ),
  );
  return handlers as never[];
}
