import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { portOf } from "../support/loopback.js";
import { connection } from "./connections.js";

interface Flow {
  isHeld: boolean;
  waiting: (() => void)[];
}

/** A proxy before the server of the tests, on a free port of this machine, which holds back bytes and cuts connections. */
export class ServerProxy {
  readonly #requests: Flow = { isHeld: false, waiting: [] };
  readonly #responses: Flow = { isHeld: false, waiting: [] };
  readonly #sockets = new Set<Socket>();
  #port = 0;
  /** Called with the text of each piece that a client sends, before it is passed on. */
  onRequest: (text: string) => void = () => {};

  static async start(): Promise<ServerProxy> {
    const proxy = new ServerProxy();
    proxy.#port = await portOf(createServer((client) => proxy.#connect(client)));
    onTestFinished(() => proxy.cut());
    return proxy;
  }

  /** How `pg` connects through the proxy. */
  get connection() {
    return { ...connection(), host: "127.0.0.1", port: this.#port };
  }

  /** Holds back what clients send, or what the server sends, or both. */
  hold(...flows: readonly ("requests" | "responses")[]): void {
    if (flows.includes("requests")) this.#requests.isHeld = true;
    if (flows.includes("responses")) this.#responses.isHeld = true;
  }

  /** Passes on everything that was held back, in order. */
  release(): void {
    for (const flow of [this.#requests, this.#responses]) {
      flow.isHeld = false;
      for (const pass of flow.waiting.splice(0)) pass();
    }
  }

  /** Drops what was held back, and breaks all connections. */
  cut(): void {
    for (const flow of [this.#requests, this.#responses]) flow.waiting.length = 0;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #connect(client: Socket): void {
    const server = connect(join(connection().host, ".s.PGSQL.5432"));
    client.on("data", (piece) => {
      this.onRequest(piece.toString("latin1"));
      pass(this.#requests, () => server.write(piece));
    });
    server.on("data", (piece) => pass(this.#responses, () => client.write(piece)));
    for (const [socket, other, flow] of [
      [client, server, this.#requests],
      [server, client, this.#responses],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => pass(flow, () => other.end()));
    }
  }
}

function pass(flow: Flow, action: () => void): void {
  if (flow.isHeld) flow.waiting.push(action);
  else action();
}
