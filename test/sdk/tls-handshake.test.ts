import { request } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { inspect } from "node:util";
import { AsyncMusic, ConnectionError, memoryJournal, SubmissionOutcomeUnknownError } from "async-music";
import { expect, onTestFinished, test } from "vitest";
import { SONG_REQUEST } from "../support/answers.js";
import { listen } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";

// A TLS handshake that fails: nothing was sent. A connection that breaks after the request: the outcome is unknown.

/** The port of a server that treats each connection so, once its first bytes arrived. */
async function connectTo(treat: (socket: Socket, first: Buffer) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (first) => treat(socket, first));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object(server.address()).port;
}

const run = (baseUrl: string, fetch?: typeof globalThis.fetch) => {
  const journal = memoryJournal();
  const client = new AsyncMusic({ apiKey: "key_1", baseUrl, fetch, maxRetries: 0 });
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

/** TLS without a certificate, so that the test needs no private key. */
const ANONYMOUS = { ciphers: "AECDH-AES256-SHA:@SECLEVEL=0", maxVersion: "TLSv1.2" } as const;

/** A `fetch` on `node:https`, as some libraries implement it. */
const fetchByHttps: typeof fetch = async (input, init) => {
  const sent = new Request(input, init);
  const headers = Object.fromEntries(sent.headers);
  const body = Buffer.from(await sent.arrayBuffer());
  return new Promise((_, reject) => {
    const outgoing = request(sent.url, {
      method: sent.method,
      headers,
      rejectUnauthorized: false,
      ...ANONYMOUS,
    });
    outgoing.on("error", reject).end(body);
  });
};

test("plain text in an established TLS connection, after the request, leaves the outcome unknown", async () => {
  let toClient: Socket | undefined;
  const received: string[] = [];
  const tls = createTlsServer(ANONYMOUS, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (received.push(String(bytes)) === 1) toClient?.write("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void tls.close());
  const port = await connectTo((socket, first) => {
    toClient = socket;
    const toServer = connect(Object(tls.address()).port, "127.0.0.1");
    toServer.on("error", () => {});
    toServer.write(first);
    socket.on("close", () => toServer.destroy());
    socket.pipe(toServer).pipe(socket);
  });
  const { journal, run: order } = run(`https://127.0.0.1:${port}`, fetchByHttps);
  const error = await rejection(order, SubmissionOutcomeUnknownError);
  expect(inspect(error)).toContain("ERR_SSL_WRONG_VERSION_NUMBER");
  expect(received[0]).toContain("POST /api/v1/task HTTP/1.1");
  expect(await journal.get("order")).toMatchObject({ state: "intent" });
});
