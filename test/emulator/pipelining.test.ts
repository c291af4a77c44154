import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test } from "vitest";
import { BALANCE, TASK, VALID } from "./support/service.js";

/** The most that Node reads from a connection at once, in bytes. */
const PIECE = 65_536;

async function listen() {
  const emulator = createEmulator({ clock: "real", credits: 100_000, limits: { requests: 1_000_000 } });
  const server = await serve(emulator);
  onTestFinished(() => server.close());
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const headersOf = (index: number | string) =>
    `Host: x\r\nx-api-key: ${emulator.apiKey}\r\nX-Request-Id: ${index}\r\n`;
  const get = (path: string, index: number) => `GET ${path} HTTP/1.1\r\n${headersOf(index)}\r\n`;
  const body = JSON.stringify(VALID.song);
  const post = (index: number) =>
    `POST ${TASK} HTTP/1.1\r\n${headersOf(index)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return { emulator, open, get, post };
}

/** Counts the requests that Node has parsed and whose responses are not sent: each takes some kilobytes. */
function countPending() {
  const pending = new Set<unknown>();
  let most = 0;
  const started = (message: unknown) => {
    pending.add(Object(message).response);
    most = Math.max(most, pending.size);
  };
  const finished = (message: unknown) => pending.delete(Object(message).response);
  channel("http.server.request.start").subscribe(started);
  channel("http.server.response.finish").subscribe(finished);
  onTestFinished(() => {
    channel("http.server.request.start").unsubscribe(started);
    channel("http.server.response.finish").unsubscribe(finished);
  });
  return { most: () => most, now: () => pending.size };
}

test("20 connections of pipelined requests that read no response keep one piece of requests each", async () => {
  const { emulator, open, get } = await listen();
  const pending = countPending();
  const request = get("/openapi.json", 1);
  const sockets = await Promise.all(Array.from({ length: 20 }, open));
  for (const socket of sockets) {
    socket.pause();
    socket.write(request.repeat(20_000));
  }
  // From then on, all connections have sent more than one piece.
  await expect.poll(() => emulator.requests.length, { timeout: 60_000 }).toBeGreaterThan(1_000);
  const inOnePiece = Math.ceil(PIECE / request.length);
  expect(pending.most()).toBeLessThanOrEqual(20 * (inOnePiece + 32));
});

test("pipelined requests are carried out one after the other, and each gets its own response", async () => {
  const { emulator, open, get, post } = await listen();
  const socket = await open();
  const calls = Array.from({ length: 300 }, (_, index) =>
    index % 3 === 0 ? post(index) : get(BALANCE, index),
  );
  let received = "";
  socket.on("data", (piece) => {
    received += piece;
  });
  socket.write(calls.join(""));
  const idsIn = (responses: string) => [...responses.matchAll(/X-Request-Id: (\d+)/g)].map(([, id]) => id);
  await expect.poll(() => idsIn(received).length, { timeout: 60_000 }).toBe(300);
  const inOrder = calls.map((_, index) => String(index));
  expect(idsIn(received)).toEqual(inOrder);
  expect(emulator.requests.map(({ request_id }) => request_id)).toEqual(inOrder);
  expect(emulator.state().tasks).toHaveLength(100);
});

test("a request begins when the response before it has been sent", async () => {
  const { emulator, open, get } = await listen();
  emulator.faults.add({ path: BALANCE, fault: { kind: "latency", ms: 3_600_000 } });
  const socket = await open();
  socket.write(get(BALANCE, 1) + get("/openapi.json", 2));
  // A request of another connection is not delayed.
  const other = await open();
  other.write(get("/", 3));
  await once(other, "data");
  expect(emulator.requests.map(({ request_id }) => request_id)).toEqual(["3"]);
  await emulator.clock.advance(3_600_000);
  await expect.poll(() => emulator.requests.map(({ request_id }) => request_id)).toEqual(["3", "1", "2"]);
});

test("requests that still wait when their client leaves have no effect", async () => {
  const { emulator, open, post } = await listen();
  emulator.faults.add({ path: TASK, fault: { kind: "stall" } });
  const socket = await open();
  socket.write(post(1) + post(2) + post(3));
  await expect.poll(() => emulator.requests.length).toBe(1);
  socket.destroy();
  const other = await open();
  other.write(post(4));
  await once(other, "data");
  expect(emulator.requests.map(({ request_id }) => request_id)).toEqual(["1", "4"]);
  expect(emulator.state().tasks).toHaveLength(1);
});
