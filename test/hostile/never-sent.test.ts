import { execFile } from "node:child_process";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { inspect, promisify } from "node:util";
import { ConnectionError, type RunOptions, SubmissionOutcomeUnknownError } from "async-music";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { held } from "../support/collect.js";
import { listen, portOf } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import { createTimeLimit } from "../support/time-limit.js";
import { connectTo, describeNeverSent, runAt } from "./never-sent.js";

describeNeverSent({ hint: "does `baseUrl` need http instead of https?" });

function aborter() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: Error) => controller.abort(reason) };
}

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
  const tlsPort = await portOf(tls);
  const port = await connectTo((socket, first) => {
    toClient = socket;
    const toServer = connect(tlsPort, "127.0.0.1");
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

describe.each(["an option", "a replacement of the global one"])("a fetch that is %s", (how) => {
  test.each([
    ["no such port", (port: number) => `http://127.0.0.1:${port}`],
    ["no such host", () => "http://audit.invalid"],
  ])("and reports each request to another server leaves the outcome unknown: %s", async (_, addressOf) => {
    const service = await listen((response) => response.end());
    const gone = await listen(() => {});
    await gone.close();
    const { fetch } = globalThis;
    const reporting: typeof fetch = async (input, init) => {
      await (await fetch(input, init)).body?.cancel();
      return fetch(addressOf(Number(new URL(gone.url).port)), { method: "POST" });
    };
    if (how !== "an option") vi.stubGlobal("fetch", reporting);
    onTestFinished(() => void vi.unstubAllGlobals());
    const option = how === "an option" ? reporting : undefined;
    const { journal, run } = runAt(service.url, option);
    await rejection(run, SubmissionOutcomeUnknownError);
    expect(await journal.get("order")).toMatchObject({ state: "intent" });
    expect(service.arrivals).toHaveLength(1);
    // If the service itself cannot be reached, the same `fetch` has sent nothing.
    await rejection(runAt(gone.url, option).run, ConnectionError);
  });
});

test("a server that closes the connection during the handshake has received nothing", async () => {
  const port = await connectTo((socket) => socket.end());
  const { journal, run } = runAt(`https://127.0.0.1:${port}`);
  expect((await rejection(run, ConnectionError)).message).toContain("nothing was sent");
  expect(await journal.get("order")).toBeNull();
});

describe("a handshake that has not ended, so that Node has not read the body of the POST,", () => {
  /** A run at a server that treats each connection so after its first bytes, which `begun` resolves with. */
  async function runInHandshake(treat: (socket: Socket) => void, options: RunOptions = {}) {
    const { given: begun, give: begin } = held<Buffer>();
    const port = await connectTo((socket, first) => {
      begin(first);
      treat(socket);
    });
    return { ...runAt(`https://127.0.0.1:${port}`, undefined, options), begun };
  }

  test("leaves the key free at the time limit", async () => {
    const { timeoutMs, pass } = createTimeLimit();
    const { journal, run, begun } = await runInHandshake(() => {}, { timeoutMs });
    void begun.then(pass);
    expect((await rejection(run, ConnectionError)).message).toContain("nothing was sent");
    expect(await journal.get("order")).toBeNull();
  });

  test("leaves the key free at an abort, which rejects with its reason", async () => {
    const { signal, abort } = aborter();
    const { journal, run, begun } = await runInHandshake(() => {}, { signal });
    void begun.then(() => abort(new Error("stop")));
    await expect(run).rejects.toThrow(/^stop$/);
    expect(await journal.get("order")).toBeNull();
  });

  test.each<[what: string, treat: (socket: Socket) => void]>([
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["an alert that can also follow a request", (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 80]))],
  ])("leaves the key free after %s", async (_, treat) => {
    const { journal, run } = await runInHandshake(treat);
    expect((await rejection(run, ConnectionError)).message).toContain("nothing was sent");
    expect(await journal.get("order")).toBeNull();
  });
});

test("an abort after the request leaves the outcome unknown", async () => {
  const { signal, abort } = aborter();
  const server = await listen(() => abort(new Error("stop")));
  const { journal, run } = runAt(server.url, undefined, { signal });
  await rejection(run, SubmissionOutcomeUnknownError);
  expect(await journal.get("order")).toMatchObject({ state: "intent" });
});

test.each([
  { Expect: "100-continue" },
  { Upgrade: "websocket" },
  { "Keep-Alive": "timeout=5" },
  { "Transfer-Encoding": "chunked" },
])("%o, which Node refuses before it connects, leaves the key free", async (headers) => {
  const received: Buffer[] = [];
  const port = await connectTo((_, first) => void received.push(first));
  const { journal, run } = runAt(`http://127.0.0.1:${port}`, undefined, { headers });
  expect((await rejection(run, ConnectionError)).message).toMatch(/failed \(UND_ERR_\w+\); nothing was sent/);
  expect([received, await journal.get("order")]).toEqual([[], null]);
});

const RUN_BEHIND_PROXY = `
  import { AsyncMusic, memoryJournal } from "async-music";
  const journal = memoryJournal();
  const client = new AsyncMusic({ apiKey: "key_1", baseUrl: "https://music.example", maxRetries: 0 });
  const request = { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain" } };
  const error = await client.tasks.run(request, { journal, journalKey: "order" }).catch((error) => error);
  console.log(error.name, error.message, await journal.get("order"));
`;

test.each([407, 502])("a proxy that refuses the tunnel with %i has forwarded nothing", async (status) => {
  const port = await connectTo((socket) =>
    socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`),
  );
  const script = [
    "--import",
    "./tools/loader/run-sources.ts",
    "--input-type=module",
    "--eval",
    RUN_BEHIND_PROXY,
  ];
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: "1",
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
    NO_PROXY: "",
  };
  const { stdout } = await promisify(execFile)(process.execPath, script, { env });
  expect(stdout).toMatch(
    /^ConnectionError .* failed \(Proxy response \(\d+\) .*\); nothing was sent\..* null$/m,
  );
  expect(stdout).toContain(`(${status})`);
});
