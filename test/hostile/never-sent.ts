import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  AsyncMusic,
  ConnectionError,
  memoryJournal,
  type RunOptions,
  SubmissionOutcomeUnknownError,
} from "../../src/index.js";
import { listen, portOf } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST } from "../support/responses.js";

// A connection that is never made: nothing was sent. A connection that breaks after the request: the outcome is unknown. This
// runs in every runtime that has Node's modules.

/** The port of a server that treats each connection so, once its first bytes arrived. */
export async function connectTo(treat: (socket: Socket, first: Buffer) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (first) => treat(socket, first));
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return portOf(server);
}

/** A run with a journal, by the runtime's own `fetch` unless another one is given. */
export function runAt(baseUrl: string, fetch?: typeof globalThis.fetch, options: RunOptions = {}) {
  const journal = memoryJournal();
  const client = new AsyncMusic({ apiKey: "key_1", baseUrl, fetch, maxRetries: 0 });
  return { journal, run: client.tasks.run(SONG_REQUEST, { ...options, journal, journalKey: "order" }) };
}

/** A fatal alert of TLS: handshake_failure is 40, protocol_version 70, unrecognized_name 112. */
const alert = (description: number) => (socket: Socket) =>
  socket.end(Buffer.from([21, 3, 3, 0, 2, 2, description]));

const FAILED_HANDSHAKES: readonly (readonly [what: string, treat: (socket: Socket) => void])[] = [
  ["an http server", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")],
  ["a server of another protocol", (socket) => socket.end("220 mail.example ESMTP\r\n")],
  ["a server without a common version", alert(70)],
  ["a server without a common cipher", alert(40)],
  ["a server without this host", alert(112)],
];

/** What happens to a connection after its request. */
const BROKEN: readonly (readonly [what: string, end: (socket: Socket) => void])[] = [
  ["closes", (socket) => socket.destroy()],
  ["resets", (socket) => socket.resetAndDestroy()],
];

/** Node's `fetch` names the reason of a failed handshake; that of Deno has it in a message only. */
export function describeNeverSent({ hint = "" } = {}): void {
  describe("a run", () => {
    it.each(FAILED_HANDSHAKES)("fails the handshake with %s, and leaves its key free", async (_, treat) => {
      const { journal, run } = runAt(`https://127.0.0.1:${await connectTo(treat)}`);
      const error = await rejection(run, ConnectionError);
      expect(error.message).toContain("nothing was sent");
      expect(error.message).toContain(hint);
      expect(await journal.get("order")).toBeNull();
    });

    it("finds no server, and leaves its journal key free", async () => {
      const server = await listen(() => {});
      await server.close();
      const { journal, run } = runAt(server.url);
      const error = await rejection(run, ConnectionError);
      expect(error.message).toContain("nothing was sent");
      expect(await journal.get("order")).toBeNull();
    });

    it.each(BROKEN)("has an unknown outcome if the server %s after the request", async (_, end) => {
      const server = await listen((response) => {
        if (response.socket !== null) end(response.socket);
      });
      const { journal, run } = runAt(server.url);
      await rejection(run, SubmissionOutcomeUnknownError);
      expect(await journal.get("order")).toMatchObject({ state: "intent" });
      expect(server.arrivals).toHaveLength(1);
    });
  });
}
