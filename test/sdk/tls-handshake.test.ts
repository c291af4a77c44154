import { createServer, type Socket } from "node:net";
import { AsyncMusic, ConnectionError, memoryJournal, SubmissionOutcomeUnknownError } from "async-music";
import { expect, onTestFinished, test } from "vitest";
import { SONG_REQUEST } from "../support/answers.js";
import { listen } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";

// A TLS handshake that fails: nothing was sent. A connection that breaks after the request: the outcome is unknown.

/** The port of a server that treats each connection so, once its first bytes arrived. */
async function connectTo(treat: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => treat(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object(server.address()).port;
}

const run = (baseUrl: string) => {
  const journal = memoryJournal();
  const client = new AsyncMusic({ apiKey: "key_1", baseUrl, maxRetries: 0 });
  return { journal, run: client.tasks.run(SONG_REQUEST, { journal, journalKey: "order" }) };
};

/** A fatal alert of TLS: handshake_failure is 40, protocol_version 70. */
const alert = (description: number) => (socket: Socket) =>
  socket.end(Buffer.from([21, 3, 3, 0, 2, 2, description]));

const HINT = "does `baseUrl` need http instead of https?";

test.each<[what: string, treat: (socket: Socket) => void]>([
  ["an http server", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")],
  ["a server of another protocol", (socket) => socket.end("220 mail.example ESMTP\r\n")],
  ["a server without a common version", alert(70)],
  ["a server without a common cipher", alert(40)],
])(
  "the handshake with %s fails before anything is sent, and the journal key stays free",
  async (_, treat) => {
    const port = await connectTo(treat);
    const { journal, run: order } = run(`https://127.0.0.1:${port}`);
    const error = await rejection(order, ConnectionError);
    expect(error.message).toContain("nothing was sent");
    expect(error.message).toContain(HINT);
    expect(await journal.get("order")).toBeNull();
  },
);

test.each<[what: string, end: (socket: Socket) => void]>([
  ["closes", (socket) => socket.destroy()],
  ["resets", (socket) => socket.resetAndDestroy()],
])("a server that %s the connection after the request leaves the outcome unknown", async (_, end) => {
  const server = await listen((response) => {
    if (response.socket !== null) end(response.socket);
  });
  const { journal, run: order } = run(server.url);
  await rejection(order, SubmissionOutcomeUnknownError);
  expect(await journal.get("order")).toMatchObject({ state: "intent" });
  expect(server.arrivals).toHaveLength(1);
});
