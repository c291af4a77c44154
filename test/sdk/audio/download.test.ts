import { AudioDownloadError, AudioExpiredError, InvalidOptionError } from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import { abortedAfter } from "../../support/abort.js";
import { connect } from "../../support/connect.js";
import { expectNoKey } from "../../support/leaks.js";
import { listen } from "../../support/loopback.js";
import { rejection } from "../../support/rejection.js";
import { CLIP, lost, succeeded } from "../../support/responses.js";
import { API_KEY, arrivals, clientOf, createWorld, never, type SeenRequest } from "../../support/world.js";
import { AUDIO_URL, brokenAfter, download, ETAG, failure, load, mp3 } from "./support.js";

afterEach(() => void vi.useRealTimers());

describe("a download request", () => {
  test("holds neither the key nor a request ID, even if the caller adds them", async () => {
    const { client, requests } = createWorld(() => mp3());
    await client.audio.download(AUDIO_URL);
    await client.audio.download(AUDIO_URL, {
      requestId: "mine",
      headers: { "X-API-Key": API_KEY, "x-request-id": "mine", Range: "bytes=0-" },
    });
    for (const { headers } of requests) {
      expect(headers.has("x-api-key")).toBe(false);
      expect(headers.has("x-request-id")).toBe(false);
    }
    expect(requests[1]?.headers.get("Range")).toBe("bytes=0-");
  });

  test("requests an unencoded body by default, so that it has a length and can be resumed", async () => {
    const { client, requests } = createWorld(() => mp3());
    await client.audio.download(AUDIO_URL);
    await client.audio.download(AUDIO_URL, { headers: { "accept-encoding": "gzip" } });
    expect(requests.map(({ headers }) => headers.get("Accept-Encoding"))).toEqual(["identity", "gzip"]);
  });

  test("has no cookies or other credentials", async () => {
    const sent: Request[] = [];
    const fetch = async (...given: Parameters<typeof globalThis.fetch>) => {
      sent.push(new Request(...given));
      return mp3();
    };
    await clientOf(fetch).audio.download(AUDIO_URL);
    expect(sent.map(({ credentials }) => credentials)).toEqual(["omit"]);
  });

  test("does not count against the rate limit", async () => {
    const { client, clock } = createWorld(() => mp3());
    await Promise.all(Array.from({ length: 150 }, () => client.audio.download(AUDIO_URL)));
    expect(clock.elapsed()).toBe(0);
  });

  test("may be redirected to another origin, which does not receive the key", async () => {
    const elsewhere = await listen((to) => to.writeHead(200, { "Content-Type": "audio/wav" }).end("wave"));
    const server = await listen((to) => to.writeHead(302, { Location: `${elsewhere.url}/stored` }).end());
    const { client } = connect(server);
    const audio = await client.audio.download(`${server.url}/song`);
    expect(audio.extension).toBe("wav");
    expect(new TextDecoder().decode(await audio.arrayBuffer())).toBe("wave");
    for (const { headers } of [...server.arrivals, ...elsewhere.arrivals]) {
      expect(JSON.stringify(headers)).not.toContain(API_KEY);
      expect(headers).not.toHaveProperty("x-request-id");
    }
  });
});

describe("a failed download", () => {
  test("with a 404 is an AudioExpiredError at once", async () => {
    const { client, requests } = createWorld(failure(404));
    const error = await rejection(client.audio.download(AUDIO_URL), AudioExpiredError);
    expect(error.url).toBe(AUDIO_URL);
    expect(error.message).toContain("seven days");
    expect(requests).toHaveLength(1);
  });

  test.each<[code: number, body: string | null, headers?: Record<string, string>]>([
    [400, "no"],
    [401, "no"],
    [403, "no"],
    [410, "no"],
    [416, "no"],
    [202, "{}"],
    [204, null],
    [206, "la", { "Content-Range": "bytes 0-1/8" }],
  ])("with a %i (%j) is an AudioDownloadError at once", async (status, body, headers = {}) => {
    const { client, requests } = createWorld(() => new Response(body, { status, headers }));
    const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(error).toMatchObject({ url: AUDIO_URL, status });
    const isExpired = [401, 403, 410].includes(status);
    expect(error.message).toContain(isExpired ? "Read the task again" : `Download ${AUDIO_URL} again.`);
    expect(requests).toHaveLength(1);
  });

  test.each([
    "Text/HTML; charset=utf-8",
    "application/xhtml+xml",
    "application/json",
    "application/problem+json;charset=utf-8",
    "application/xml",
    "text/xml",
  ])("with a 200 of the type %s is an AudioDownloadError after the retries", async (type) => {
    const { client, requests } = createWorld(() =>
      mp3("<title>Just a moment</title>", { "Content-Type": type }),
    );
    const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(error).toMatchObject({ url: AUDIO_URL, status: 200 });
    expect(error.message).toContain("the server returned HTML, JSON or XML");
    expect(requests).toHaveLength(3);
  });

  test.each(["audio/x-unknown", "image/svg+xml", "text/plain", "application/jsonish", "binary/octet-stream"])(
    "does not include a 200 of the type %s",
    async (type) => {
      const { client } = createWorld(() => mp3("la la la", { "Content-Type": type }));
      expect(await load(client)).toBe("la la la");
    },
  );

  test("does not include a 206 that the caller requested", async () => {
    const part = () => new Response("la", { status: 206, headers: { "Content-Range": "bytes 0-1/8" } });
    const audio = await download(part, { headers: { range: "bytes=0-1" } });
    expect((await audio.arrayBuffer()).byteLength).toBe(2);
  });

  test.each([429, 503, 403])("with a %i states how long to wait", async (status) => {
    const { client, clock } = createWorld(failure(status, { "Retry-After": "90" }), {
      retryBudgetMs: 60_000,
    });
    const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    const retryAt = new Date(clock.now() + 90_000);
    expect(error).toMatchObject({ status, retryAfterSeconds: 90, retryAt });
    if (status !== 403)
      expect(error.message).toContain(`Download ${AUDIO_URL} again after ${retryAt.toISOString()}.`);
    const unstated = await rejection(download(failure(status)), AudioDownloadError);
    expect(unstated).toMatchObject({ retryAfterSeconds: null, retryAt: null });
  });

  test.each<
    [what: string, answer: (request: SeenRequest) => Response | Promise<Response>, code: number | null]
  >([
    ["a 500", failure(500), 500],
    ["a 502", failure(502), 502],
    ["a 503", failure(503), 503],
    ["a 429", failure(429), 429],
    ["a broken connection", lost, null],
  ])("with %s is an AudioDownloadError after `maxRetries` retries", async (_, answer, code) => {
    for (const maxRetries of [2, 1]) {
      const { client, requests } = createWorld(answer, { maxRetries });
      const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
      expect(error).toMatchObject({ url: AUDIO_URL, status: code });
      if (code === null) expect(error.cause).toBeInstanceOf(TypeError);
      expect(requests).toHaveLength(maxRetries + 1);
    }
  });

  const anotherVersion = ({ headers }: SeenRequest) =>
    mp3(brokenAfter("la la"), headers.has("Range") ? { ETag: '"v2"' } : ETAG);

  test.each([
    ["a 403", failure(403)],
    ["a broken connection", lost],
    ["a remainder of another version", anotherVersion],
  ])("with %s leaves no timer", async (_, answer) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { client } = createWorld(answer, { maxRetries: 1 });
    await rejection(load(client), AudioDownloadError);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("without a response in time has no status", async () => {
    const { client, requests } = createWorld(never);
    const options = { timeoutMs: 10, maxRetries: 1 };
    const error = await rejection(client.audio.download(AUDIO_URL, options), AudioDownloadError);
    expect(error.status).toBeNull();
    expect(requests).toHaveLength(2);
  });

  test.each([
    [40, [0, 40_000, 80_000]],
    [70, [0, 70_000]],
    [121, [0]],
  ])("is retried after its Retry-After of %i s while its waits fit its budget", async (seconds, times) => {
    const world = createWorld(failure(503, { "Retry-After": String(seconds) }));
    await rejection(world.client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(arrivals(world)).toEqual(times);
  });

  test("releases the connection of a response that it does not read", async () => {
    let left = 0;
    const body = () => new ReadableStream({ cancel: () => void left++ });
    await rejection(
      download(() => new Response(body(), { status: 503 })),
      AudioDownloadError,
    );
    expect(left).toBe(3);
  });

  const NO_URLS = [
    "",
    "song.mp3",
    "/song",
    "file:///a",
    "data:audio/mpeg,x",
    "https://",
    undefined,
    null,
    {},
  ];
  test.each(NO_URLS)("of %j, which is no HTTP URL, is refused before it is sent", async (source) => {
    const { client, requests } = createWorld(() => mp3());
    await rejection(client.audio.download(source as string), InvalidOptionError);
    expect(requests).toEqual([]);
  });

  test.each([
    [succeeded(), "a task: pass one clip of `task.output.result`"],
    [[CLIP], "a list: pass one clip of it"],
    [Promise.resolve(succeeded()), "a promise: await it first"],
    ["song.mp3", "a string of length 8"],
    [{ audio_url: 7 }, "7"],
  ])("of %j, which is not a clip, is refused with the received value", async (source, got) => {
    const { client } = createWorld(() => mp3());
    const error = await rejection(client.audio.download(source as string), InvalidOptionError);
    expect(error).toMatchObject({ option: "source", message: expect.stringContaining(`got ${got}`) });
  });

  test("of the body has no key in its cause", async () => {
    const body = brokenAfter("la", new Error(`proxy refused ${API_KEY}`));
    const error = await rejection(load(createWorld(() => mp3(body)).client), AudioDownloadError);
    expect(error.cause).toBeInstanceOf(Error);
    expectNoKey(error, API_KEY);
  });

  test("never shows a key that the URL or the server contains", async () => {
    const url = `${AUDIO_URL}?key=${API_KEY}`;
    for (const answer of [
      failure(404),
      failure(403, { "X-Echo": API_KEY }),
      () => Promise.reject(new Error(API_KEY)),
    ]) {
      const { client } = createWorld(answer, { maxRetries: 0 });
      const error = await client.audio.download(url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expectNoKey(error, API_KEY);
    }
  });
});

test.each<[what: string, headers: Record<string, string>]>([
  ["with its length", { "Content-Length": "0" }],
  ["without its length", {}],
  ["without its length, but with a validator", ETAG],
  ["without its length, and of a type that the first bytes show", { "Content-Type": "" }],
])("an empty body is no song: %s, the request is sent again, and fails in the end", async (_, headers) => {
  let empty = 2;
  const { client, requests } = createWorld(({ headers: sent }) => {
    if (empty-- <= 0) return mp3();
    // No range of an empty file can be satisfied.
    return sent.has("Range") ? failure(416)() : mp3("", headers);
  });
  expect(await load(client)).toBe("la la la");
  expect(requests).toHaveLength(3);
  for (const size of [undefined, "required"] as const) {
    empty = 3;
    const read = async () => (await client.audio.download(AUDIO_URL, { size })).arrayBuffer();
    const error = await rejection(read(), AudioDownloadError);
    expect(error).toMatchObject({ status: 200, message: expect.stringContaining("returned an empty body") });
  }
  expect(requests).toHaveLength(9);
});

describe("an abort", () => {
  const reason = new Error("enough");

  test("before it is sent rejects with the signal's reason", async () => {
    const { client, requests } = createWorld(() => mp3());
    const aborted = client.audio.download(AUDIO_URL, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    expect(requests).toEqual([]);
  });

  test.each([
    ["a fetch that listens to it", 2, never],
    ["a fetch that listens to it, with no retry left", 0, never],
    ["a fetch that ignores it", 2, () => new Promise<Response>(() => {})],
  ])("while %s waits for headers rejects with the reason", async (_, maxRetries, answer) => {
    const controller = new AbortController();
    const { client } = createWorld((request) => {
      setImmediate(() => controller.abort(reason));
      return answer(request);
    });
    const options = { signal: controller.signal, maxRetries };
    await expect(client.audio.download(AUDIO_URL, options)).rejects.toBe(reason);
  });

  test("between two attempts rejects with the signal's reason", async () => {
    const { client, clock, requests } = createWorld(failure(503, { "Retry-After": "60" }));
    await expect(load(client, { signal: abortedAfter(clock, 30_000, reason) })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test("while the body arrives rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const server = await listen((to) =>
      to.socket?.write("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 500\r\n\r\nla la"),
    );
    const { client } = connect(server);
    const audio = await client.audio.download(`${server.url}/song`, { signal: controller.signal });
    const whole = audio.arrayBuffer();
    setImmediate(() => controller.abort(reason));
    await expect(whole).rejects.toBe(reason);
  });
});
