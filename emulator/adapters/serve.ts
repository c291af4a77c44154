import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Emulator } from "../control/emulator.js";
import { checkOptionNames, invalidValue } from "../core/checks.js";
import type { RequestTarget } from "../http/messages.js";
import { serviceOf } from "../http/service.js";
import { SiteServer } from "./http-server.js";
import type { Addresses } from "./origins.js";

/** Options of `serve`. As with `createEmulator`, each must be an own property of the object. */
export interface ServeOptions {
  /** The port to listen on; 0 selects a free one. @defaultValue 0 */
  port?: number | undefined;
  /**
   * The address to listen on. With `0.0.0.0` or `::`, all addresses of this machine: the URLs in responses then have the
   * host name of the request. @defaultValue "127.0.0.1"
   */
  host?: string | undefined;
  /**
   * Host names, without a port, under which other machines may use the control plane and the dashboard, such as the
   * name of a container. Anyone who reaches the port can use them: no key is needed. URLs in responses to requests with
   * such a name have it, too.
   *
   * @defaultValue none: only this machine can use them
   */
  allowHost?: string | readonly string[] | undefined;
}

/** A server of an emulator. */
export interface EmulatorServer {
  /** The service address, without `/api/v1`. */
  readonly url: string;
  /** Stops listening and ends every open connection. The emulator itself continues. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const STANDS_STILL =
  "async-music: Warning: the emulator on this port has a virtual clock. Its time stands still unless something sleeps on `emulator.clock` or advances it, so tasks that are only polled never end. " +
  'Use `createEmulator({ clock: "real" })`, or `clock: "virtual"` to keep this clock without the warning.';

/** Addresses that stand for all of the machine's, with the one at which the machine itself reaches the server. */
const ALL_ADDRESSES: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/**
 * Serves an emulator on a port of this machine, with its dashboard at `/`. Audio is on the same port. The providers' own
 * files and the cover art are on a second port, since they are another origin.
 *
 * Pass `createEmulator({ clock: "real" })` if clients in other processes poll it. On a virtual clock, the default, time
 * stands still unless something sleeps on `emulator.clock` or advances it: a task that is only polled never ends. `serve`
 * therefore prints a warning, unless the emulator was created with the option `clock`.
 *
 * Resolves when the server accepts connections. Rejects with the system's error if the port is in use, and with a
 * `RangeError` for a `port` that is not a whole number, a `host` that a URL cannot have, such as `""`, and an `allowHost`
 * that is not a host name.
 */
export async function serve(emulator: Emulator, options: ServeOptions = {}): Promise<EmulatorServer> {
  const known = checkOptionNames(options, ["port", "host", "allowHost"]);
  const { port = 0, host = "127.0.0.1", allowHost = [] } = known;
  // A server would listen on a socket with the name of a string.
  if (!Number.isInteger(port)) throw invalidValue("port", "be a whole number, such as 8080", port);
  const ownName = nameInUrls(host);
  const allowedHosts = [allowHost].flat().map(checkHostName);
  const service = serviceOf(emulator);
  const { clock } = service.core;
  const addresses: Addresses = {
    origins: null,
    followHost: Object.hasOwn(ALL_ADDRESSES, host),
    allowedHosts,
  };

  const listen = async (site: RequestTarget["site"], port: number) => {
    const siteServer = new SiteServer(service, site, addresses);
    const { server } = siteServer;
    server.listen(port, host);
    await once(server, "listening");
    const end = async () => {
      const closed = once(server, "close");
      server.close();
      siteServer.endConnections();
      await closed;
    };
    const { port: ownPort } = server.address() as AddressInfo;
    return { origin: new URL(`http://${ownName}:${ownPort}`).origin, end };
  };
  const api = await listen("service", port);
  const providers = await listen("provider", 0).catch(async (error: unknown) => {
    await api.end();
    throw error;
  });

  const { origin: url } = api;
  const { origin: provider } = providers;
  if (clock.mode === "virtual" && !service.isClockChosen) console.warn(STANDS_STILL);
  addresses.origins = { service: url, providers: { provider_a: provider, provider_b: provider } };
  clock.activity.beginNetworkUse();
  let closing: Promise<void> | undefined;
  const close = () => {
    if (closing === undefined) {
      clock.activity.endNetworkUse();
      closing = Promise.all([api.end(), providers.end()]).then(() => {});
    }
    return closing;
  };
  return { url, close, [Symbol.asyncDispose]: close };
}

function checkHostName(name: string): string {
  const url = `http://${name}`;
  const host = URL.canParse(url) ? new URL(url).host : "";
  const isName = /^[\w.-]+$|^\[.+\]$/.test(host);
  if (isName && host === name.toLowerCase()) return host;
  throw invalidValue("allowHost", "be a host name without a port", name);
}

/** The name under which a client of this machine reaches the server. It must be known before the server listens. */
function nameInUrls(host: string): string {
  const name = ALL_ADDRESSES[host] ?? (String(host).includes(":") ? `[${host}]` : host);
  if (typeof host === "string" && URL.canParse(`http://${name}`)) return name;
  throw invalidValue("host", "be an address or a host name that a URL can have, such as 127.0.0.1", host);
}
