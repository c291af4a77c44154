import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Emulator } from "../../control/emulator.js";
import { checkOptionNames } from "../../core/checks.js";
import type { Site } from "../../http/exchange.js";
import { mountedOf } from "../../http/mounted-world.js";
import type { Origins } from "../../http/origins.js";
import { answerTunnels, refuseBrokenRequest } from "./broken-request.js";
import { createDashboard } from "./dashboard.js";
import { createListener } from "./listener.js";
import { originsUnder } from "./origins-under.js";

/** Where to listen. As with `createEmulator`, each option must be an own property of the object. */
export interface ServeOptions {
  /** 0 takes a free one. @defaultValue 0 */
  port?: number | undefined;
  /**
   * An address, or `0.0.0.0` or `::` for all of this machine's: the URLs that the service hands out then have the name
   * under which it was asked. @defaultValue "127.0.0.1"
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

/**
 * Node must not answer in our place, and connections stay open for longer than clients remember them: one that ends
 * just as a request goes out would leave its outcome unknown.
 */
const SERVER_OPTIONS = { requireHostHeader: false, keepAliveTimeout: 120_000 };

/** Addresses that mean all of a machine's, and how the machine itself then reaches the server. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** An emulator on a port. */
export interface EmulatorServer {
  /** The service address, without `/api/v1`. */
  readonly url: string;
  /** Stops listening, and ends every connection that is still open. */
  close(): Promise<void>;
  /** The same, for `await using`. The emulator itself goes on. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Puts an emulator on a port of this machine, with its dashboard at `/`. The audio is served there too; the providers'
 * own files and the cover art have a port of their own, since they are another origin.
 *
 * Resolves once connections are accepted; rejects with the system's error where the port is taken, and with a
 * `RangeError` for a `controlHost` that is no host name.
 */
export async function serve(emulator: Emulator, options: ServeOptions = {}): Promise<EmulatorServer> {
  const known = checkOptionNames(options, ["port", "host", "controlHost"]);
  const { port = 0, host = "127.0.0.1", controlHost = [] } = known;
  const controlHosts = [controlHost].flat().map(checkHostName);
  const mounted = mountedOf(emulator);
  const { clock } = mounted.world;
  const origins: { current?: Origins } = {};

  const isEverywhere = Object.hasOwn(EVERYWHERE, host);
  const originsFor = (asked: string | undefined) =>
    isEverywhere && origins.current !== undefined ? originsUnder(asked, origins.current) : origins.current;

  const listen = async (site: Site, at: number) => {
    const dashboard = site === "service" ? createDashboard() : null;
    const listener = createListener(mounted, site, originsFor, controlHosts, dashboard);
    const server = createServer(SERVER_OPTIONS, listener);
    server.on("checkExpectation", listener);
    server.on("connect", answerTunnels(listener));
    // A connection brings a request: time must not skip in between.
    server.on("connection", () => clock.stir());
    const lastAnswers = new WeakMap<object, ServerResponse>();
    server.on("request", ({ socket }, response) => lastAnswers.set(socket, response));
    server.on("clientError", (error, socket) => refuseBrokenRequest(error, socket, lastAnswers.get(socket)));
    server.listen(at, host);
    await once(server, "listening");
    return server;
  };
  const api = await listen("service", port);
  const providers = await listen("provider", 0).catch(async (error: unknown) => {
    await end(api);
    throw error;
  });

  const provider = addressOf(providers, host);
  origins.current = {
    service: addressOf(api, host),
    providers: { provider_a: provider, provider_b: provider },
  };
  clock.beginPatience();
  let closing: Promise<void> | undefined;

  const close = () => {
    closing ??= (async () => {
      clock.endPatience();
      await Promise.all([end(api), end(providers)]);
    })();
    return closing;
  };
  return { url: origins.current.service, close, [Symbol.asyncDispose]: close };
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
