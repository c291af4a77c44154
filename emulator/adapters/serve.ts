import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Emulator } from "../control/emulator.js";
import { checkOptionNames } from "../core/checks.js";
import type { RequestTarget } from "../http/messages.js";
import { serviceOf } from "../http/service.js";
import { createDashboard } from "./dashboard.js";
import { type Addresses, createSiteServer } from "./http-server.js";

/** Where to listen. As with `createEmulator`, each option must be an own property of the object. */
export interface ServeOptions {
  /** 0 takes a free one. @defaultValue 0 */
  port?: number | undefined;
  /**
   * An address, or `0.0.0.0` or `::` for all addresses of this machine: the URLs in responses then have the host name of
   * the request. @defaultValue "127.0.0.1"
   */
  host?: string | undefined;
  /**
   * Host names, without a port, under which other machines may use the control plane and the dashboard, such as the
   * name of a container. Anyone who reaches the port can use them: no key is needed.
   *
   * @defaultValue none: only this machine can use them
   */
  controlHost?: string | readonly string[] | undefined;
}

/** An emulator on a port. */
export interface EmulatorServer {
  /** The service address, without `/api/v1`. */
  readonly url: string;
  /** Stops listening, and ends every connection that is still open. */
  close(): Promise<void>;
  /** The same, for `await using`. The emulator itself continues. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Addresses that mean all of a machine's, and how the machine itself then reaches the server. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/**
 * Puts an emulator on a port of this machine, with its dashboard at `/`. The audio is served there too; the providers'
 * own files and the cover art have a port of their own, since they are another origin.
 *
 * Resolves once connections are accepted; rejects with the system's error if the port is taken, and with a `RangeError`
 * for a `controlHost` that is not a host name.
 */
export async function serve(emulator: Emulator, options: ServeOptions = {}): Promise<EmulatorServer> {
  const known = checkOptionNames(options, ["port", "host", "controlHost"]);
  const { port = 0, host = "127.0.0.1", controlHost = [] } = known;
  const controlHosts = [controlHost].flat().map(checkHostName);
  const service = serviceOf(emulator);
  const { clock } = service.core;
  const addresses: Addresses = { origins: null, followHost: Object.hasOwn(EVERYWHERE, host) };

  const listen = async (site: RequestTarget["site"], port: number) => {
    const dashboard = site === "service" ? createDashboard() : null;
    const server = createSiteServer({ service, site, controlHosts, dashboard, addresses });
    server.listen(port, host);
    await once(server, "listening");
    return server;
  };
  const api = await listen("service", port);
  const providers = await listen("provider", 0).catch(async (error: unknown) => {
    await end(api);
    throw error;
  });

  const url = addressOf(api, host);
  const provider = addressOf(providers, host);
  addresses.origins = { service: url, providers: { provider_a: provider, provider_b: provider } };
  clock.quiet.beginPatience();
  let closing: Promise<void> | undefined;
  const close = () => {
    if (closing === undefined) {
      clock.quiet.endPatience();
      closing = Promise.all([end(api), end(providers)]).then(() => {});
    }
    return closing;
  };
  return { url, close, [Symbol.asyncDispose]: close };
}

function checkHostName(name: string): string {
  const url = `http://${name}`;
  const host = URL.canParse(url) ? new URL(url).host : "";
  if (host !== "" && host === name.toLowerCase() && !/:\d+$/.test(host)) return host;
  throw new RangeError("Expected `controlHost` to be a host name without a port, such as `music`");
}

/** The origin at which a client of this machine reaches the server. */
function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = EVERYWHERE[host] ?? (host.includes(":") ? `[${host}]` : host);
  return new URL(`http://${name}:${port}`).origin;
}

async function end(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
