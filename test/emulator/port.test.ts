import { once } from "node:events";
import { get, ServerResponse } from "node:http";
import { connect } from "node:net";
import { AsyncMusic, type Clip } from "async-music";
import { createEmulator, type Emulator, type EmulatorOptions } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { coreOf } from "../../emulator/http/service.js";
import { BALANCE, serviceOf, TASK, VALID } from "./support/service.js";

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function listen(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ credits: 100, ...options });
  const server = await serve(emulator, { port: 0 });
  servers.push(server);
  return { ...serviceOf(emulator, { fetch: globalThis.fetch, url: server.url }), server };
}

/**
 * What comes back for bytes that are sent as they are. Once an answer has come they were all, unless more may follow: a
 * server that hears sooner that they were all may leave before it has answered.
 */
async function sendRaw(url: string, bytes: string, { mayFollow = false } = {}): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(bytes);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
    if (!mayFollow) socket.end();
  });
  await once(socket, "close");
  return answer;
}

/** Resolves when so many requests have come, also where they stall. */
async function untilLogged(emulator: Emulator, count: number): Promise<void> {
  await expect.poll(() => emulator.requests.length, { timeout: 60_000 }).toBe(count);
}

test("audio is at the service's address, and cover art at another origin, which is there", async () => {
  const { create, read, server } = await listen();
  const [clip] = (await read(await create(VALID.song, { polls: 1 }))).output.result;
  expect(new URL(clip.audio_url).origin).toBe(server.url);
  expect(new URL(clip.image_url).origin).not.toBe(server.url);
  expect((await fetch(clip.image_url)).status).toBe(200);
  const providers = [`${new URL(clip.image_url).origin}/own.wav`, "https://provider-a.test/own.wav"];
  const alternates = [...providers, "https://cdn.example.com/own.wav"];
  const outcome = { polls: 1, alternate_urls: alternates };
  const [cleaned] = (await read(await create(VALID.song, outcome))).output.result;
  expect(cleaned.alternate_urls).toEqual(["https://cdn.example.com/own.wav"]);
});

test("answers carry what they carry in process", async () => {
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

test("where it listens on all addresses, its URLs have the name under which it was asked", async () => {
  const emulator = createEmulator();
  const server = await serve(emulator, { host: "0.0.0.0" });
  servers.push(server);
  const { create, read } = serviceOf(emulator, { fetch: globalThis.fetch, url: server.url });
  const taskId = await create(VALID.song, { polls: 1 });
  const [clip] = (await read(taskId)).output.result;
  expect(new URL(clip.audio_url).origin).toBe(server.url);

  const askedAs = async (host: string) => {
    const key = `x-api-key: ${emulator.apiKey}`;
    const answer = await sendRaw(
      server.url,
      `GET ${TASK}/${taskId} HTTP/1.1\r\nHost: ${host}\r\n${key}\r\nConnection: close\r\n\r\n`,
    );
    const [first] = JSON.parse(answer.slice(answer.indexOf("{"))).data.output.result;
    return [new URL(first.audio_url).origin, new URL(first.image_url).origin];
  };
  const providerPort = new URL(clip.image_url).port;
  expect(await askedAs("music:8080")).toEqual(["http://music:8080", `http://music:${providerPort}`]);
  expect(await askedAs("[::1]:4010")).toEqual(["http://[::1]:4010", `http://[::1]:${providerPort}`]);
  for (const strange of ["a b", "me@music", "music/x", "music:port"])
    expect((await askedAs(strange))[0]).toBe(server.url);

  const control = get(`${server.url}/_emulator/state`, { headers: { Host: "music:8080" } });
  const [answer] = await once(control, "response");
  expect(answer.statusCode).toBe(403);
  answer.resume();
});

test("where it listens on one address, its URLs have that address, whatever name it was asked under", async () => {
  const { create, read, server, emulator } = await listen();
  const taskId = await create(VALID.song, { polls: 1 });
  await read(taskId);
  const key = `x-api-key: ${emulator.apiKey}`;
  const answer = await sendRaw(
    server.url,
    `GET ${TASK}/${taskId} HTTP/1.1\r\nHost: music\r\n${key}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toContain(`${server.url}/audio/`);
});

test("a fault of the emulator's own is a 500 with a request id and a line on stderr, and the server goes on", async () => {
  const { get, emulator } = await listen();
  const { state } = coreOf(emulator);
  const told = vi.spyOn(console, "error").mockImplementation(() => {});
  for (const { ledger } of state.accounts) ledger.available += 1;
  const { status, body, headers } = await get(BALANCE, { "X-Request-Id": "mine" });
  expect([status, body.code, body.error_code]).toEqual([500, 500, "internal_error"]);
  expect(headers.get("X-Request-Id")).toBe("mine");
  expect(told.mock.calls.join()).toMatch(/request mine: InvariantError/);
  for (const { ledger } of state.accounts) ledger.available -= 1;
  expect((await get(BALANCE)).status).toBe(200);
  told.mockRestore();
});

test("a body over 1 MiB is refused, and the connection goes on", async () => {
  const { post } = await listen();
  const { status, body } = await post({ ...VALID.song, padding: "x".repeat(3 * 2 ** 20) });
  expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
  expect((await post(VALID.song)).status).toBe(202);
});

test("a stalled request keeps its connection until the server closes", async () => {
  const { emulator, server } = await listen();
  emulator.faults.add({ fault: { kind: "stall" } });
  const stalled = fetch(server.url + BALANCE);
  const ended = expect(stalled).rejects.toThrow(TypeError);
  await untilLogged(emulator, 1);
  const first = await Promise.race([
    stalled,
    new Promise((resolve) => setTimeout(resolve, 30, "still open")),
  ]);
  expect(first).toBe("still open");
  await server.close();
  await ended;
});

test("a server that a block uses is gone when the block ends, and the emulator goes on", async () => {
  const emulator = createEmulator();
  let url = "";
  {
    await using server = await serve(emulator);
    url = server.url;
    expect((await fetch(url + BALANCE)).status).toBe(401);
  }
  await expect(fetch(url + BALANCE)).rejects.toThrow(TypeError);
  expect((await emulator.fetch(emulator.url + BALANCE)).status).toBe(401);
});

test("what is no HTTP behind a whole request is refused after that was answered", async () => {
  const { emulator, server } = await listen();
  const body = JSON.stringify(VALID.song);
  const headers = `Host: localhost\r\nContent-Type: application/json\r\nx-api-key: ${emulator.apiKey}`;
  const request = `POST ${TASK} HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await sendRaw(server.url, `${request}and more\r\n\r\n`, { mayFollow: true });
  expect(answers.match(/HTTP\S+ \d+/g)).toEqual(["HTTP/1.1 202", "HTTP/1.1 400"]);
  expect(emulator.state().tasks).toHaveLength(1);

  const broken = await sendRaw(server.url, request + request.replace(/\d+\r\n\r\n.*/s, "?\r\n\r\n"));
  expect(broken.match(/HTTP\S+ \d+/g)).toEqual(["HTTP/1.1 202", "HTTP/1.1 400"]);
});

test("a request's target may be a whole URL", async () => {
  const { server, emulator } = await listen();
  const lines = [
    `GET http://elsewhere.example${BALANCE}?a=b HTTP/1.1`,
    "Host: x",
    `x-api-key: ${emulator.apiKey}`,
  ];
  expect(await sendRaw(server.url, `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`)).toContain(
    '"available":100',
  );
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
])("%s is answered with the error body and a request id", async (lines, status, errorCode) => {
  const { server } = await listen();
  const answer = await sendRaw(server.url, `${lines}\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toMatch(/\r\nX-Request-Id: \S+\r\n/);
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toMatchObject({
    code: status,
    error_code: errorCode,
  });
});

test("a CONNECT ends its connection, and a client that breaks off another hurts nobody", async () => {
  const { server, get } = await listen();
  const connectLines = "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n";
  expect(await sendRaw(server.url, connectLines)).toMatch(/\r\nConnection: close\r\n/);
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.write(connectLines, () => socket.resetAndDestroy());
  await once(socket, "close");
  expect((await get(BALANCE)).status).toBe(200);
});

test.each<[string, (ask: () => Promise<unknown>) => Promise<unknown>]>([
  ["while 120 requests arrive and are answered", (ask) => Promise.all(Array.from({ length: 120 }, ask))],
  [
    "past a caller that is busy for a while in the same process",
    async (ask) => {
      await ask();
      const busyUntil = performance.now() + 15;
      while (performance.now() < busyUntil);
    },
  ],
])("time does not skip %s", async (_, work) => {
  const { emulator, server } = await listen({ credits: 10_000, limits: { requests: 100_000 } });
  const { clock } = emulator;
  const beganAt = clock.now();
  const headers = { "x-api-key": emulator.apiKey };
  const leave = new AbortController();
  // Time would skip this hour as soon as no request seemed to be in flight.
  const sleeper = clock.sleep(3_600_000, leave.signal).catch(() => {});
  for (let round = 0; round < 5; round++)
    await work(async () => (await fetch(server.url + BALANCE, { headers })).json());
  expect(clock.now() - beganAt).toBe(0);
  leave.abort();
  await sleeper;
});

test("time does not move before a response is out", async () => {
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

test("a request that stalls loses its connection to a reset, and holds time no longer", async () => {
  const { emulator, server } = await listen();
  emulator.faults.add({ fault: { kind: "stall" } });
  const stalled = expect(fetch(server.url + BALANCE)).rejects.toThrow(TypeError);
  await untilLogged(emulator, 1);
  emulator.reset();
  await stalled;
  await emulator.clock.sleep(1_000);
});

test("a request that stalls holds time until its connection ends", async () => {
  const { emulator, server } = await listen();
  const { clock } = emulator;
  const beganAt = clock.now();
  emulator.faults.add({ fault: { kind: "stall" } });
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

test("time moves on while downloads are set aside that nobody reads", async () => {
  const { emulator, server, create, read } = await listen();
  const { result: clips } = (await read(await create(VALID.song, { polls: 1, clips: 6 }))).output;
  const bytes = new Uint8Array(2 ** 24);
  vi.spyOn(coreOf(emulator).audio, "read").mockResolvedValue({ bytes, format: "wav" });
  const downloads: Response[] = await Promise.all(clips.map((clip: Clip) => fetch(clip.audio_url)));
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"seconds":60}' };
  const { now } = await (await fetch(`${server.url}/_emulator/clock/advance`, init)).json();
  expect(now).toBe("2026-01-01T00:01:00.000Z");
  await emulator.clock.sleep(60_000);
  for (const { body } of downloads) await body?.cancel();
});

test("an answer that waits behind a delayed one on its connection lets time move on", async () => {
  const { emulator, server } = await listen();
  emulator.faults.add({ fault: { kind: "latency", ms: 60_000 } });
  const get = (path: string, more = "") =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${emulator.apiKey}\r\n${more}\r\n`;
  const requests = get(BALANCE) + get("/nowhere", "Connection: close\r\n");
  const answers = await sendRaw(server.url, requests, { mayFollow: true });
  expect(answers.match(/HTTP\S+ \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"]);
});

test.each([
  ["/x", "evil.example", 404],
  ["/_emulator/reset", "localhost", 200],
  [TASK, "localhost", 401],
])("a POST to %s that stops halfway does not hold time, and gets its response later", async (...row) => {
  const [path, host, status] = row;
  const { emulator, server } = await listen();
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json"];
  const more = ["Content-Length: 100", "Expect: 100-continue", "Connection: close"];
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.write(`${[...head, ...more].join("\r\n")}\r\n\r\n{`);
  // The server has received the headers.
  const [first] = await once(socket, "data");
  expect(String(first)).toMatch(/^HTTP\/1\.1 100 /);

  const client = new AsyncMusic({ ...emulator.connection(), baseUrl: server.url, fetch: globalThis.fetch });
  await client.tasks.run({ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } });
  await emulator.clock.advance(1_000);
  socket.write(`${" ".repeat(98)}}`);
  let response = "";
  for await (const chunk of socket) response += chunk;
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test("answers go out under a test runner's fake timers, with a virtual clock and with a real one", async () => {
  for (const clock of ["virtual", "real"] as const) {
    const { get } = await listen({ clock });
    vi.useFakeTimers();
    const answer = get(BALANCE).finally(() => vi.useRealTimers());
    expect((await answer).status).toBe(200);
  }
});

test("closing twice is closing once", async () => {
  const { server } = await listen();
  await Promise.all([server.close(), server.close()]);
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow(TypeError);
});
