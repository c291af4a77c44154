import { AsyncMusic, AudioDownloadError } from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import { expectNoKey } from "../../support/leaks.js";
import { rejection } from "../../support/rejection.js";
import { streamOf } from "../../support/stream.js";
import { API_KEY, createWorld, never, type SeenRequest } from "../../support/world.js";

afterEach(() => void vi.useRealTimers());

const AUDIO_URL = "https://audio.example/song";
const SONG = "la la la, sang the rain";
const ETAG = { ETag: '"v1"' };
const MP3 = { "Content-Type": "audio/mpeg" };

type HeaderFields = Record<string, string>;

const encode = (text: string) => new TextEncoder().encode(text);

/** A body of this text that then breaks. */
function brokenAfter(text: string, error: unknown = new TypeError("terminated")): ReadableStream<Uint8Array> {
  let isSent = text === "";
  return new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(error);
      else controller.enqueue(encode(text));
      isSent = true;
    },
  });
}

const broken = (headers: HeaderFields = {}, text = SONG.slice(0, 6)) =>
  new Response(brokenAfter(text), { headers: { ...MP3, ...headers } });

/** A service whose first response breaks off after six bytes. */
function breaking(headers: HeaderFields, rest: (request: SeenRequest) => Response | Promise<Response>) {
  return createWorld((request, index) => (index === 0 ? broken(headers) : rest(request)));
}

describe("a download that fails", () => {
  test("is tried as often as the client's `maxRetries` says", async () => {
    const { client, requests } = createWorld(() => new Response("", { status: 503 }), { maxRetries: 1 });
    await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ["a status of failure", () => new Response("", { status: 403 })],
    ["a connection that breaks", () => Promise.reject(new TypeError("fetch failed"))],
    [
      "a rest of another version",
      ({ headers }: SeenRequest) => broken(headers.has("Range") ? { ETag: '"v2"' } : ETAG),
    ],
  ])("by %s leaves no timer behind", async (_, answer) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { client } = createWorld(answer, { maxRetries: 1 });
    const load = async () => (await client.audio.download(AUDIO_URL)).arrayBuffer();
    await rejection(load(), AudioDownloadError);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("before its first bytes tell the format is tried `maxRetries` times in all, and says what broke off", async () => {
    const answers: (number | null)[] = [];
    const { client, requests } = createWorld(() => new Response(brokenAfter("la la"), { headers: ETAG }));
    client.on("answer", ({ status }) => answers.push(status));
    const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
    expect(error).toMatchObject({ status: 200, message: expect.stringContaining("after 5 bytes") });
    expect(requests).toHaveLength(3);
    expect(answers).toEqual([200, 200, 200]);
  });

  test("in its body does not show the key in its cause", async () => {
    const body = brokenAfter("la", new Error(`proxy refused ${API_KEY}`));
    const { client } = createWorld(() => new Response(body, { headers: MP3 }));
    const error = await rejection((await client.audio.download(AUDIO_URL)).arrayBuffer(), AudioDownloadError);
    expect(error.cause).toBeInstanceOf(Error);
    expectNoKey(error, API_KEY);
  });
});

test("a download sends no cookies or other credentials", async () => {
  const sent: Request[] = [];
  const client = new AsyncMusic({
    apiKey: API_KEY,
    baseUrl: "https://music.example",
    fetch: async (input, init) => {
      sent.push(new Request(input, init));
      return new Response(SONG, { headers: MP3 });
    },
  });
  await client.audio.download(AUDIO_URL);
  expect(sent.map(({ credentials }) => credentials)).toEqual(["omit"]);
});

test("an abort ends a download whose `fetch` ignores its signal", async () => {
  const controller = new AbortController();
  const client = new AsyncMusic({
    apiKey: API_KEY,
    baseUrl: "https://music.example",
    fetch: () => new Promise(() => void queueMicrotask(() => controller.abort("stop"))),
  });
  await expect(client.audio.download(AUDIO_URL, { signal: controller.signal })).rejects.toBe("stop");
});

describe("an abort rejects with its reason, and not as a failed download, when no retry is left", () => {
  test("while the headers are waited for", async () => {
    const controller = new AbortController();
    const { client } = createWorld((request) => {
      queueMicrotask(() => controller.abort("stop"));
      return never(request);
    });
    const options = { signal: controller.signal, maxRetries: 0 };
    await expect(client.audio.download(AUDIO_URL, options)).rejects.toBe("stop");
  });

  test("while the first bytes of the rest are waited for", async () => {
    const controller = new AbortController();
    const { client } = breaking(ETAG, () => {
      const body = new ReadableStream({ pull: () => controller.abort("stop") }, { highWaterMark: 0 });
      return new Response(body, { headers: { ...MP3, ...ETAG } });
    });
    const audio = await client.audio.download(AUDIO_URL, { signal: controller.signal, maxRetries: 1 });
    await expect(audio.arrayBuffer()).rejects.toBe("stop");
  });
});

describe("the rest of a body that broke off", () => {
  test("is taken from a whole body in small pieces, and no piece is empty", async () => {
    const pieces = [...SONG].map((letter) => encode(letter));
    const { client } = breaking(ETAG, () => new Response(streamOf(pieces), { headers: { ...MP3, ...ETAG } }));
    const received: string[] = [];
    for await (const piece of (await client.audio.download(AUDIO_URL)).body)
      received.push(new TextDecoder().decode(piece));
    expect(received).toEqual([SONG.slice(0, 6), ...SONG.slice(6)]);
  });

  test("is canceled if it is another version's", async () => {
    let canceled = 0;
    const rest = new ReadableStream({ cancel: () => void canceled++ });
    const { client } = breaking(ETAG, () => new Response(rest, { headers: { ...MP3, ETag: '"v2"' } }));
    await rejection((await client.audio.download(AUDIO_URL)).arrayBuffer(), AudioDownloadError);
    expect(canceled).toBe(1);
  });

  test("must be as long as its own response says, if the first one named no length", async () => {
    const range = { "Content-Range": `bytes 6-${SONG.length - 1}/${SONG.length}` };
    const { client } = breaking(
      ETAG,
      () => new Response(SONG.slice(6, 9), { status: 206, headers: { ...MP3, ...ETAG, ...range } }),
    );
    const audio = await client.audio.download(AUDIO_URL, { maxRetries: 1 });
    await rejection(audio.arrayBuffer(), AudioDownloadError);
  });

  test("is the same version's if a weak entity tag has become a strong one", async () => {
    const modified = { "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT" };
    const { client } = breaking(
      { ETag: 'W/"v1"', ...modified },
      () => new Response(SONG, { headers: { ...MP3, ...ETAG, ...modified } }),
    );
    const bytes = await (await client.audio.download(AUDIO_URL)).arrayBuffer();
    expect(new TextDecoder().decode(bytes)).toBe(SONG);
  });

  test.each<[string, number, HeaderFields, HeaderFields, string]>([
    [
      "the caller asked for a part",
      206,
      { Range: "bytes=10-" },
      { "Content-Range": "bytes 10-22/23" },
      SONG.slice(10, 15),
    ],
    ["every byte came", 200, {}, { "Content-Length": "23" }, SONG],
  ])("is not requested if %s", async (_, status, headers, fields, text) => {
    const { client, requests } = createWorld(
      () => new Response(brokenAfter(text), { status, headers: { ...MP3, ...ETAG, ...fields } }),
    );
    const audio = await client.audio.download(AUDIO_URL, { headers });
    await rejection(audio.arrayBuffer(), AudioDownloadError);
    expect(requests).toHaveLength(1);
  });
});
