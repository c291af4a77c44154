import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { inspect } from "node:util";
import { SubmissionOutcomeUnknownError } from "async-music";
import { expect, onTestFinished, test } from "vitest";
import { rejection } from "../support/rejection.js";
import { connectTo, describeNeverSent, runAt } from "./never-sent.js";

describeNeverSent({ hint: "does `baseUrl` need http instead of https?" });

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
  const { journal, run } = runAt(`https://127.0.0.1:${port}`, fetchByHttps);
  const error = await rejection(run, SubmissionOutcomeUnknownError);
  expect(inspect(error)).toContain("ERR_SSL_WRONG_VERSION_NUMBER");
  expect(received[0]).toContain("POST /api/v1/task HTTP/1.1");
  expect(await journal.get("order")).toMatchObject({ state: "intent" });
});
