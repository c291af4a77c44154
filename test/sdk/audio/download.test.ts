import { AudioDownloadError, AudioExpiredError, InvalidOptionError } from "async-music";
import { describe, expect, test } from "vitest";
import { CLIP, succeeded } from "../../support/answers.js";
import { connect } from "../../support/connect.js";
import { expectNoKey } from "../../support/leaks.js";
import { listen } from "../../support/loopback.js";
import { rejection } from "../../support/rejection.js";
import { API_KEY, createWorld, inTurn, never } from "../../support/world.js";

const AUDIO_URL = "https://audio.example/song";
const song = (headers = {}) =>
  new Response("la la la", { headers: { "Content-Type": "audio/mpeg", ...headers } });
const status =
  (code: number, headers = {}) =>
  () =>
    new Response("no", { status: code, headers });
const AUDIO_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n";

describe("what is sent", () => {
  test("holds neither the key nor a request id, even if the caller adds them", async () => {
    const { client, requests } = createWorld(() => song());
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

  test("asks for the bytes as they are: a coded body has no length that is told, and can't be gone on with", async () => {
    const { client, requests } = createWorld(() => song());
    await client.audio.download(AUDIO_URL);
    await client.audio.download(AUDIO_URL, { headers: { "accept-encoding": "gzip" } });
    expect(requests.map(({ headers }) => headers.get("Accept-Encoding"))).toEqual(["identity", "gzip"]);
  });

  test("does not count against the rate limit", async () => {
    const { client, clock } = createWorld(() => song());
    await Promise.all(Array.from({ length: 150 }, () => client.audio.download(AUDIO_URL)));
    expect(clock.elapsed()).toBe(0);
  });

  test("may be redirected to another origin, which sees no key either", async () => {
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

describe("what can't be downloaded", () => {
  test("because it answers 404 is an AudioExpiredError at once", async () => {
    const { client, requests } = createWorld(status(404));
    const error = await rejection(client.audio.download(AUDIO_URL), AudioExpiredError);
    expect(error.url).toBe(AUDIO_URL);
    expect(error.message).toContain("seven days");
    expect(requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 410, 416])(
    "because it answers %i is an AudioDownloadError at once",
    async (code) => {
      const { client, requests } = createWorld(status(code));
      const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
      expect(error).toMatchObject({ url: AUDIO_URL, status: code });
      expect(requests).toHaveLength(1);
    },
  );

  test.each<[code: number, what: string, body: string | null, headers: Record<string, string>]>([
    [202, "a promise", "{}", {}],
    [204, "nothing", null, {}],
    [206, "a part that nobody asked for", "la", { "Content-Range": "bytes 0-1/8" }],
  ])(
    "because a %i answers %s is an AudioDownloadError at once, and no song",
    async (code, _, body, headers) => {
      const { client, requests } = createWorld(() => new Response(body, { status: code, headers }));
      const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
      expect(error).toMatchObject({ url: AUDIO_URL, status: code });
      expect(requests).toHaveLength(1);
    },
  );

  test("does not include a part that its caller asked for", async () => {
    const part = () => new Response("la", { status: 206, headers: { "Content-Range": "bytes 0-1/8" } });
    const { client } = createWorld(part);
    const audio = await client.audio.download(AUDIO_URL, { headers: { range: "bytes=0-1" } });
    expect((await audio.arrayBuffer()).byteLength).toBe(2);
  });

  test.each([500, 502, 503, 429])("because it answers %i is one after three tries", async (code) => {
    const { client, requests } = createWorld(status(code));
    const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(error).toMatchObject({ url: AUDIO_URL, status: code });
    expect(requests).toHaveLength(3);
  });

  test("because the connection breaks is one without a status, after three tries", async () => {
    const { client, requests } = createWorld(() => Promise.reject(new TypeError("terminated")));
    const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(error).toMatchObject({ url: AUDIO_URL, status: null });
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(requests).toHaveLength(3);
  });

  test("because nobody answers in time is one without a status", async () => {
    const { client, requests } = createWorld(never);
    const options = { timeoutMs: 10, maxRetries: 1 };
    const error = await rejection(client.audio.download(AUDIO_URL, options), AudioDownloadError);
    expect(error.status).toBeNull();
    expect(requests).toHaveLength(2);
  });

  test("is tried again after the wait that was stated, and fails at once when that is too long", async () => {
    const patient = createWorld(inTurn(status(503, { "Retry-After": "40" }), () => song()));
    await patient.client.audio.download(AUDIO_URL);
    expect(patient.requests.map(({ at }) => at)).toEqual([0, 40_000]);

    const hasty = createWorld(status(503, { "Retry-After": "121" }));
    await rejection(hasty.client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(hasty.requests).toHaveLength(1);
  });

  test("shares one budget between all its waits", async () => {
    const { client, requests } = createWorld(status(503, { "Retry-After": "70" }), { maxRetries: 9 });
    await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(requests.map(({ at }) => at)).toEqual([0, 70_000]);
  });

  test("gives back the connection of an answer that it does not read", async () => {
    let left = 0;
    const body = () => new ReadableStream({ cancel: () => void left++ });
    const { client } = createWorld(() => new Response(body(), { status: 503 }));
    await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(left).toBe(3);
  });

  test.each([
    "",
    "song.mp3",
    "/song",
    "file:///etc/passwd",
    "data:audio/mpeg,x",
    "https://",
    undefined,
    null,
    {},
    7,
  ])("because %j is no address of the web is refused, and nothing is sent", async (source) => {
    const { client, requests } = createWorld(() => song());
    await rejection(client.audio.download(source as string), InvalidOptionError);
    expect(requests).toEqual([]);
  });

  test.each([
    [succeeded(), "a task: give one clip of its output.result"],
    [[CLIP], "a list: give one clip of it"],
    [Promise.resolve(succeeded()), "a promise: await it first"],
    ["song.mp3", "a text of length 8"],
    [{ audio_url: 7 }, "7"],
  ])("because %j is no clip says what came", async (source, got) => {
    const { client } = createWorld(() => song());
    const error = await rejection(client.audio.download(source as string), InvalidOptionError);
    expect(error).toMatchObject({ option: "source", message: expect.stringContaining(`got \`${got}\``) });
  });

  test("shows no key, though the address or the server may hold it", async () => {
    const url = `${AUDIO_URL}?key=${API_KEY}`;
    for (const answer of [
      status(404),
      status(403, { "X-Echo": API_KEY }),
      () => Promise.reject(new Error(API_KEY)),
    ]) {
      const { client } = createWorld(answer, { maxRetries: 0 });
      const error = await client.audio.download(url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expectNoKey(error, API_KEY);
    }
  });
});

describe("an abort", () => {
  const reason = new Error("enough");

  test("before, or while the head is awaited, rejects with the signal's reason", async () => {
    const before = createWorld(() => song());
    await expect(before.client.audio.download(AUDIO_URL, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(before.requests).toEqual([]);

    const controller = new AbortController();
    const during = createWorld((request) => {
      setImmediate(() => controller.abort(reason));
      return never(request);
    });
    await expect(during.client.audio.download(AUDIO_URL, { signal: controller.signal })).rejects.toBe(reason);
  });

  test("between two tries rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const { client, clock, requests } = createWorld(status(503, { "Retry-After": "60" }));
    const result = client.audio.download(AUDIO_URL, { signal: controller.signal });
    void clock.sleep(30_000).then(() => controller.abort(reason));
    await expect(result).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test("while the body comes rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const server = await listen((to) => to.socket?.write(`${AUDIO_HEAD}Content-Length: 500\r\n\r\nla la`));
    const { client } = connect(server);
    const audio = await client.audio.download(`${server.url}/song`, { signal: controller.signal });
    const whole = audio.arrayBuffer();
    setImmediate(() => controller.abort(reason));
    await expect(whole).rejects.toBe(reason);
  });
});
