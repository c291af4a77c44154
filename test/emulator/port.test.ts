import { once } from "node:events";
import { get, ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { AsyncMusic, type Clip } from "async-music";
import { createEmulator, type Emulator, type EmulatorOptions } from "async-music/emulator";
import { type ServeOptions, serve } from "async-music/emulator/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { audioStore } from "../../emulator/core/audio-store.js";
import { coreOf } from "../../emulator/http/service.js";
import { BALANCE, clipsOf, serviceOf, TASK, VALID } from "./support/service.js";

async function listen(options: EmulatorOptions = {}, address: ServeOptions = { port: 0 }) {
  const emulator = createEmulator({ clock: "virtual", credits: 100, ...options });
  const server = await serve(emulator, address);
  onTestFinished(() => server.close());
  return { ...serviceOf(emulator, { fetch: globalThis.fetch, url: server.url }), server };
}

/**
 * Sends these lines as they are, and returns the response. The connection ends at the first response, unless more may
 * follow: a server that receives the end earlier may close before it responds.
 */
async function sendRaw(url: string, lines: string[], { mayFollow = false } = {}): Promise<string> {
  const socket = connectTo(url);
  socket.write(lines.join("\r\n"));
  let response = "";
  socket.on("data", (chunk) => {
    response += chunk;
    if (!mayFollow) socket.end();
  });
  await once(socket, "close");
  return response;
}

/** Sends a GET with these headers, and returns the JSON of the response. */
async function getRaw(url: string, target: string, headers: string[]) {
  const response = await sendRaw(url, [`GET ${target} HTTP/1.1`, ...headers, "Connection: close", "", ""]);
  return JSON.parse(response.slice(response.indexOf("{")));
}

/** The origins of a clip's audio and cover art in a response to a request with this host. */
const originsOf =
  (url: string, { apiKey }: Emulator, taskId: string) =>
  async (host: string) => {
    const { data } = await getRaw(url, `${TASK}/${taskId}`, [`Host: ${host}`, `x-api-key: ${apiKey}`]);
    const [clip] = data.output.result;
    return [new URL(clip.audio_url).origin, new URL(clip.image_url).origin];
  };

async function freePort(): Promise<number> {
  await using server = await serve(createEmulator({ clock: "virtual" }));
  return Number(new URL(server.url).port);
}

const connectTo = (url: string) => connect(Number(new URL(url).port), "127.0.0.1");
const statusesIn = (responses: string) =>
  responses.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)));

/** Resolves when this many requests were logged, including stalled ones. */
async function untilLogged(emulator: Emulator, count: number): Promise<void> {
  await expect.poll(() => emulator.requests.length, { timeout: 60_000 }).toBe(count);
}

test("audio is served at the service's address, and cover art at another origin", async () => {
  const service = await listen();
  const [clip] = await clipsOf(service);
  expect(new URL(clip.audio_url).origin).toBe(service.server.url);
  const { origin } = new URL(clip.image_url);
  expect(origin).not.toBe(service.server.url);
  expect((await fetch(clip.image_url)).status).toBe(200);
  const cdn = "https://cdn.example.com/own.wav";
  const alternate_urls = [`${origin}/own.wav`, "https://provider-a.test/own.wav", cdn];
  const [cleaned] = await clipsOf(service, VALID.song, { alternate_urls });
  expect(cleaned.alternate_urls).toEqual([cdn]);
});

test("responses have the same headers and bodies as in process", async () => {
  const { get, post, send } = await listen();
  const { headers } = await get(BALANCE, { "X-Request-Id": "mine" });
  expect(headers.get("X-Request-Id")).toBe("mine");
  expect(headers.get("X-RateLimit-Remaining")).toBe("119");
  expect(headers.get("X-Emulator")).toBe("async-music");
  expect(headers.get("Content-Length")).toMatch(/^\d+$/);
  expect((await post("{")).body.error_code).toBe("invalid_json");
  expect((await send(TASK, { method: "PUT" })).headers.get("Allow")).toBe("POST");
  const head = await send(BALANCE, { method: "HEAD" });
  expect([head.status, head.body]).toEqual([405, ""]);
});

test("a server that listens on all addresses uses the request's host in its URLs", async () => {
  const { create, read, server, emulator } = await listen({}, { host: "0.0.0.0", allowHost: "music" });
  const taskId = await create(VALID.song, { polls: 1 });
  const [clip] = (await read(taskId)).output.result;
  expect(new URL(clip.audio_url).origin).toBe(server.url);

  const originsFor = originsOf(server.url, emulator, taskId);
  const providerPort = new URL(clip.image_url).port;
  expect(await originsFor("music:8080")).toEqual(["http://music:8080", `http://music:${providerPort}`]);
  expect(await originsFor("[::1]:4010")).toEqual(["http://[::1]:4010", `http://[::1]:${providerPort}`]);
  for (const invalid of ["a b", "me@music", "music/x", "music:port"])
    expect((await originsFor(invalid))[0]).toBe(server.url);

  const control = async (path: string, host: string) => {
    const sent = get(`${server.url}/_emulator${path}`, { headers: { Host: host } });
    const [response] = await once(sent, "response");
    return { status: response.statusCode, body: await text(response) };
  };
  expect((await control("/state", "other:8080")).status).toBe(403);
  for (const path of ["/state", `/tasks/${taskId}`, "/exchanges/1", "/overview", "/openapi.json"]) {
    const { status, body } = await control(path, "music:8080");
    expect([path, status]).toEqual([path, 200]);
    expect(body).toContain("http://music:8080");
    expect(body).not.toContain(server.url);
  }
});

test("a server that listens on one address uses it in its URLs, unless the request's host is allowed", async () => {
  const { create, read, server, emulator } = await listen({}, { allowHost: "host.docker.internal" });
  const taskId = await create(VALID.song, { polls: 1 });
  await read(taskId);
  const originsFor = originsOf(server.url, emulator, taskId);
  const allowed = "host.docker.internal:4010";
  expect((await originsFor("music:4010"))[0]).toBe(server.url);
  expect((await originsFor(allowed))[0]).toBe(`http://${allowed}`);
});

test("a provider's file is no alternative of a stored clip, under any host name of the server", async () => {
  const { create, read, server, emulator } = await listen({}, { allowHost: "localhost" });
  const [clip] = (await read(await create(VALID.song, { polls: 1 }))).output.result;
  const { port } = new URL(clip.image_url);
  const alternate_urls = ["127.0.0.1", "localhost"].map(
    (host) => `http://${host}:${port}/provider_a/audio/1`,
  );
  const taskId = await create(VALID.song, { polls: 1, alternate_urls });
  for (const host of [server.url.slice("http://".length), `localhost:${new URL(server.url).port}`]) {
    const task = await getRaw(server.url, `${TASK}/${taskId}`, [
      `Host: ${host}`,
      `X-Api-Key: ${emulator.apiKey}`,
    ]);
    expect(JSON.stringify(task)).toContain('"status":"success"');
    expect(JSON.stringify(task)).not.toContain("alternate_urls");
  }
});

test("an internal error is a 500 with a request ID and a line on stderr, and the server keeps running", async () => {
  const { get, emulator } = await listen();
  const ledgers = coreOf(emulator).state.accounts.map(({ ledger }) => ledger);
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  for (const ledger of ledgers) ledger.available += 1;
  const { status, body, headers } = await get(BALANCE, { "X-Request-Id": "mine" });
  expect([status, body.code, body.error_code]).toEqual([500, 500, "internal_error"]);
  expect(headers.get("X-Request-Id")).toBe("mine");
  expect(log.mock.calls.join()).toMatch(/request mine: InvariantError/);
  for (const ledger of ledgers) ledger.available -= 1;
  expect((await get(BALANCE)).status).toBe(200);
  log.mockRestore();
});

test("a body over 1 MiB is refused, and the connection stays usable", async () => {
  const { post } = await listen();
  const { status, body } = await post({ ...VALID.song, padding: "x".repeat(3 * 2 ** 20) });
  expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
  expect((await post(VALID.song)).status).toBe(202);
});

test("`await using` closes the server at the end of its block, and the emulator keeps running", async () => {
  const emulator = createEmulator({ clock: "virtual" });
  let url = "";
  {
    await using server = await serve(emulator);
    url = server.url;
    expect((await fetch(url + BALANCE)).status).toBe(401);
  }
  await expect(fetch(url + BALANCE)).rejects.toThrow(TypeError);
  expect((await emulator.fetch(emulator.url + BALANCE)).status).toBe(401);
});

test.each(["", " ", "::1%lo", "[::1]", "localhost:80", null])(
  "a host of %j is refused, and the port stays free",
  async (host) => {
    const port = await freePort();
    await expect(listen({}, { port, host: host as string })).rejects.toThrow("`host` must be an address");
    const { server } = await listen({}, { port });
    expect(new URL(server.url).port).toBe(String(port));
  },
);

test("closing a server twice has no further effect", async () => {
  const { server } = await listen();
  await Promise.all([server.close(), server.close()]);
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow(TypeError);
});

test("bytes after a request that are not HTTP are refused, and the request is carried out", async () => {
  const { emulator, server } = await listen();
  const body = JSON.stringify(VALID.song);
  const head = `POST ${TASK} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: ${emulator.apiKey}`;
  const request = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const broken = request + request.replace(/\d+\r\n\r\n.*/s, "?\r\n\r\n");
  for (const [index, bytes] of [`${request}and more\r\n\r\n`, broken].entries()) {
    expect(statusesIn(await sendRaw(server.url, [bytes], { mayFollow: index === 0 }))).toEqual([202, 400]);
    expect(emulator.state().tasks).toHaveLength(index + 1);
  }
});

test.each([
  ["headers that are too long", `X-Long: ${"x".repeat(20_000)}`, "The URL and the headers"],
  ["no HTTP", "no header", "The request is not valid HTTP."],
])("a request with %s is refused with this reason", async (_, line, reason) => {
  const { server } = await listen();
  expect((await getRaw(server.url, BALANCE, [line])).message).toContain(reason);
});

test("two Content-Type headers are refused, as in process", async () => {
  const { emulator, server } = await listen();
  const types = ["Content-Type: application/json", "Content-Type: text/plain"];
  const lines = [`POST ${TASK} HTTP/1.1`, "Connection: close", `x-api-key: ${emulator.apiKey}`, ...types];
  const response = await sendRaw(server.url, [...lines, "Content-Length: 2", "", "{}"]);
  expect(response).toContain("The Content-Type must be application/json.");
});

test.each(["utf8", "latin1"] as const)("an outcome header in %s has its text", async (encoding) => {
  const { create, read } = await listen();
  const error = "Größe: zu groß";
  const bytes = Buffer.from(JSON.stringify({ outcome: "failure", polls: 1, error }), encoding);
  const taskId = await create(VALID.song, JSON.parse(bytes.toString("latin1")));
  expect((await read(taskId)).error).toBe(error);
});

test("a request's target may be an absolute URL", async () => {
  const { server, emulator } = await listen();
  const target = `http://elsewhere.example${BALANCE}?a=b`;
  const { data } = await getRaw(server.url, target, ["Host: x", `x-api-key: ${emulator.apiKey}`]);
  expect(data.available).toBe(100);
});

test.each([
  ["NONSENSE", 400, "invalid_request_body"],
  [`GET ${BALANCE} HTTP/1.1`, 401, "missing_api_key"],
  [`GET ${BALANCE} HTTP/1.1\r\nExpect: the-unexpected`, 401, "missing_api_key"],
  [`GET ${BALANCE} HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}`, 400, "invalid_request_body"],
  ["GET /nowhere HTTP/1.1\r\nContent-Length: 5", 404, "not_found"],
  ["CONNECT example.com:443 HTTP/1.1", 404, "not_found"],
  ["OPTIONS * HTTP/1.1", 404, "not_found"],
  [`PROPFIND ${TASK} HTTP/1.1`, 405, "method_not_allowed"],
  [`GET ${BALANCE} HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket`, 401, "missing_api_key"],
  [`NONSENSE ${TASK} HTTP/1.1`, 400, "invalid_request_body"],
])("%s gets an error body and a request ID", async (lines, status, errorCode) => {
  const { server } = await listen();
  const response = await sendRaw(server.url, [lines, "Connection: close", "", ""]);
  expect(statusesIn(response)).toEqual([status]);
  expect(response).toMatch(/\r\nX-Request-Id: \S+\r\n/);
  const body = JSON.parse(response.slice(response.indexOf("{")));
  expect(body).toMatchObject({ code: status, error_code: errorCode });
});

test("a CONNECT request closes its own connection only, also when the client resets it", async () => {
  const { server, get } = await listen();
  const lines = ["CONNECT example.com:443 HTTP/1.1", "Host: x", "", ""];
  expect(await sendRaw(server.url, lines)).toMatch(/\r\nConnection: close\r\n/);
  const socket = connectTo(server.url);
  socket.write(lines.join("\r\n"), () => socket.resetAndDestroy());
  await once(socket, "close");
  expect((await get(BALANCE)).status).toBe(200);
});

test.each<[string, (request: () => Promise<unknown>) => Promise<unknown>]>([
  ["while 120 requests are in flight", (request) => Promise.all(Array.from({ length: 120 }, request))],
  [
    "while the caller blocks the process after a response",
    async (request) => {
      await request();
      const busyUntil = performance.now() + 15;
      while (performance.now() < busyUntil);
    },
  ],
])("time does not skip %s", async (_, work) => {
  const { emulator, get } = await listen({ credits: 10_000, limits: { requests: 100_000 } });
  const { clock } = emulator;
  const beganAt = clock.now();
  const leave = new AbortController();
  // Time would skip this hour as soon as no request seemed to be in flight.
  const sleeper = clock.sleep(3_600_000, leave.signal).catch(() => {});
  for (let round = 0; round < 5; round++) await work(() => get(BALANCE));
  expect(clock.now() - beganAt).toBe(0);
  leave.abort();
  await sleeper;
});

test("time does not advance before a response is sent", async () => {
  const { emulator, get } = await listen();
  const { clock } = emulator;
  const beganAt = clock.now();
  const { end } = ServerResponse.prototype;
  const held = new Promise<() => void>((resolve) => {
    vi.spyOn(ServerResponse.prototype, "end").mockImplementationOnce(function (
      this: ServerResponse,
      ...body
    ) {
      resolve(() => end.apply(this, body));
      return this;
    });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const response = get(BALANCE);
  const sendIt = await held;
  const advanced = clock.advance(1_000);
  expect(clock.now()).toBe(beganAt);
  sendIt();
  await advanced;
  expect(clock.now()).toBe(beganAt + 1_000);
  expect((await response).status).toBe(200);
});

test.each<[string, (emulator: Emulator, server: { close(): Promise<void> }) => unknown]>([
  ["the server closes", (_, server) => server.close()],
  ["the emulator is reset", (emulator) => emulator.reset()],
])("a stalled request keeps its connection until %s", async (_, end) => {
  const { emulator, server, fault } = await listen();
  fault({ kind: "stall" });
  const stalled = fetch(server.url + BALANCE);
  const ended = expect(stalled).rejects.toThrow(TypeError);
  await untilLogged(emulator, 1);
  const later = new Promise((resolve) => setTimeout(resolve, 30, "still open"));
  expect(await Promise.race([stalled, later])).toBe("still open");
  await end(emulator, server);
  await ended;
  await emulator.clock.sleep(1_000);
});

test("a stalled request stops time until its connection ends, except for `advance`", async () => {
  const { emulator, server, fault } = await listen();
  const { clock } = emulator;
  const beganAt = clock.now();
  fault({ kind: "stall" });
  const controller = new AbortController();
  const stalled = fetch(server.url + BALANCE, { signal: controller.signal }).catch(() => {});
  await untilLogged(emulator, 1);
  const slept = clock.sleep(60_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(clock.now() - beganAt).toBe(0);
  await clock.advance(1_000);
  expect(clock.now() - beganAt).toBe(1_000);
  controller.abort();
  await stalled;
  await slept;
  expect(clock.now() - beganAt).toBe(60_000);
});

test("an `advance` does not wait for a pause between the requests of others", async () => {
  const { emulator, get } = await listen();
  let isOver = false;
  const advance = () => emulator.clock.advance(1_000).then(() => (isOver = true));
  let sent = 0;
  for (; sent < 500 && !isOver; sent++) {
    await get(BALANCE);
    if (sent === 0) void advance();
  }
  expect(sent).toBeLessThan(500);
});

test("downloads whose bodies are not read do not stop time", async () => {
  const service = await listen();
  const { emulator, send } = service;
  const clips = await clipsOf(service, VALID.song, { clips: 6 });
  const bytes = new Uint8Array(2 ** 24);
  vi.spyOn(audioStore, "read").mockResolvedValue({ bytes, format: "wav" });
  const downloads: Response[] = await Promise.all(clips.map((clip: Clip) => fetch(clip.audio_url)));
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"seconds":60}' };
  expect((await send("/_emulator/clock/advance", init)).body.now).toBe("2026-01-01T00:01:00.000Z");
  await emulator.clock.sleep(60_000);
  for (const { body } of downloads) await body?.cancel();
});

test("a pipelined response that waits for a delayed one does not stop time", async () => {
  const { emulator, server, fault } = await listen();
  fault({ kind: "latency", ms: 60_000 });
  const request = (path: string, ...more: string[]) =>
    [`GET ${path} HTTP/1.1`, "Host: localhost", `x-api-key: ${emulator.apiKey}`, ...more, "", ""].join(
      "\r\n",
    );
  const requests = request(BALANCE) + request("/nowhere", "Connection: close");
  expect(statusesIn(await sendRaw(server.url, [requests], { mayFollow: true }))).toEqual([200, 404]);
});

test.each([
  ["/x", "evil.example", 404],
  ["/_emulator/reset", "localhost", 200],
  [TASK, "localhost", 401],
])("a POST to %s whose body pauses does not stop time", async (path, host, status) => {
  const { emulator, server } = await listen();
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json"];
  const more = ["Content-Length: 100", "Expect: 100-continue", "Connection: close", "", "{"];
  const socket = connectTo(server.url);
  socket.write([...head, ...more].join("\r\n"));
  // The server has received the headers.
  const [first] = await once(socket, "data");
  expect(String(first)).toMatch(/^HTTP\/1\.1 100 /);

  const client = new AsyncMusic({ ...emulator.connection(), baseUrl: server.url, fetch: globalThis.fetch });
  await client.tasks.run(VALID.lyrics);
  await emulator.clock.advance(1_000);
  socket.write(`${" ".repeat(98)}}`);
  let response = "";
  for await (const chunk of socket) response += chunk;
  expect(statusesIn(response)).toEqual([status]);
});

test.each(["virtual", "real"] as const)(
  "fake timers do not stop responses, with a %s clock",
  async (clock) => {
    const { get } = await listen({ clock });
    vi.useFakeTimers();
    const response = get(BALANCE).finally(() => vi.useRealTimers());
    expect((await response).status).toBe(200);
  },
);

test.each([
  ["real", []],
  ["virtual", ["polled_too_often", "ignored_retry_after"]],
] as const)(
  "the sleeps of a client with timers of its own count only on a real clock: %s",
  async (clock, broken) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { create, read, get, fault, advance, findings } = await listen({ clock });
    const taskId = await create(VALID.song, { polls: 3 });
    await advance(60_000);
    await read(taskId);
    vi.setSystemTime(Date.now() + 1_200);
    await read(taskId);
    fault({ kind: "status", status: 429, retry_after_seconds: 30, when: "before" });
    expect((await get(BALANCE)).status).toBe(429);
    vi.setSystemTime(Date.now() + 30_000);
    expect((await get(BALANCE)).status).toBe(200);
    expect(findings()).toEqual(broken);
  },
);

test.each(["8080", "80x", 1.5, Number.NaN])("the port %o is refused, and no socket is made", async (port) => {
  const options = { port: port as number };
  await expect(serve(createEmulator(), options)).rejects.toThrow(/^`port` must be a whole number/);
});
