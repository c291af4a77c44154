import { AudioDownloadError, AudioExpiredError } from "async-music";
import { describe, expect, test } from "vitest";
import { rejection } from "../../support/rejection.js";
import { API_KEY, createWorld, type SeenRequest } from "../../support/world.js";

// A download goes on where it broke off, and never mixes two versions of a file.

const AUDIO_URL = "https://audio.example/song";
const SONG = "la la la, sang the rain";
const ETAG = { ETag: '"v1"' };
const MODIFIED = { "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT" };
const LENGTH = { "Content-Length": String(SONG.length) };

type HeaderFields = Record<string, string>;

/** A body of this text that then breaks. */
function brokenAfter(text: string): ReadableStream<Uint8Array> {
  let isSent = text === "";
  return new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(new TypeError("terminated"));
      else controller.enqueue(new TextEncoder().encode(text));
      isSent = true;
    },
  });
}

const whole = (body: BodyInit, headers: HeaderFields, status = 200) =>
  new Response(body, { status, headers: { "Content-Type": "audio/mpeg", ...headers } });

/** A part of the song from an offset on, as a server answers a range. */
function part(start: number, headers: HeaderFields = {}, body: BodyInit = SONG.slice(start)): Response {
  const range = `bytes ${start}-${SONG.length - 1}/${SONG.length}`;
  return whole(body, { "Content-Range": range, ...headers }, 206);
}

const startOf = ({ headers }: SeenRequest) => Number(/^bytes=(\d+)-$/.exec(headers.get("Range") ?? "")?.[1]);

/** A service whose first answer breaks off behind its sixth byte, and what it answers then. */
function breaking(headers: HeaderFields, ...then: ((request: SeenRequest) => Response)[]) {
  return createWorld((request, index) => {
    if (index === 0) return whole(brokenAfter(SONG.slice(0, 6)), headers);
    const answer = then[Math.min(index, then.length) - 1];
    return answer === undefined ? new Response("no", { status: 500 }) : answer(request);
  });
}

const text = (bytes: ArrayBuffer) => new TextDecoder().decode(bytes);

describe("a body that breaks off is gone on with", () => {
  test.each<[by: string, headers: HeaderFields, ifRange: string | null]>([
    ["a strong entity tag", { ...ETAG, ...MODIFIED }, '"v1"'],
    ["the time of its last change", MODIFIED, MODIFIED["Last-Modified"]],
    [
      "the time of its last change beside a weak tag",
      { ETag: 'W/"v1"', ...MODIFIED },
      MODIFIED["Last-Modified"],
    ],
  ])("by %s, without the key", async (_, headers, ifRange) => {
    for (const read of ["arrayBuffer", "blob", "body"] as const) {
      const { client, requests } = breaking(headers, (request) => part(startOf(request), headers));
      const audio = await client.audio.download(AUDIO_URL, { headers: { "X-Mine": `me ${API_KEY}` } });
      const bytes = read === "body" ? await new Response(audio.body).arrayBuffer() : await audio[read]();
      expect(text(bytes instanceof Blob ? await bytes.arrayBuffer() : bytes)).toBe(SONG);
      expect(requests).toHaveLength(2);
      expect(requests[1]?.headers.get("Range")).toBe("bytes=6-");
      expect(requests[1]?.headers.get("If-Range")).toBe(ifRange);
      expect(JSON.stringify(requests.map((request) => [...request.headers]))).not.toContain(API_KEY);
    }
  });

  test("as often as a read is sent again, in all", async () => {
    const twoByTwo = (request: SeenRequest) => {
      const start = startOf(request);
      return start < 20 ? part(start, ETAG, brokenAfter(SONG.slice(start, start + 2))) : part(start, ETAG);
    };
    const patient = breaking({ ...ETAG, ...LENGTH }, twoByTwo);
    const audio = await patient.client.audio.download(AUDIO_URL, { maxRetries: 8 });
    expect(text(await audio.arrayBuffer())).toBe(SONG);
    expect(patient.requests.slice(1).map(startOf)).toEqual([6, 8, 10, 12, 14, 16, 18, 20]);

    const { client, requests } = breaking({ ...ETAG, ...LENGTH }, twoByTwo);
    await rejection((await client.audio.download(AUDIO_URL)).arrayBuffer(), AudioDownloadError);
    expect(requests.slice(1).map(startOf)).toEqual([6, 8]);
  });

  test("after the wait that an answer states, and after other failures of the server", async () => {
    const { client, requests } = breaking(
      { ...ETAG, ...LENGTH },
      () => new Response("away", { status: 503, headers: { "Retry-After": "40" } }),
      (request) => part(startOf(request), ETAG),
    );
    expect(text(await (await client.audio.download(AUDIO_URL)).arrayBuffer())).toBe(SONG);
    expect(requests.map(({ at }) => at)).toEqual([0, 0, 40_000]);
  });

  test("from an answer of the whole, when that is certainly the same version", async () => {
    const { client } = breaking(ETAG, () => whole(SONG, ETAG));
    expect(text(await (await client.audio.download(AUDIO_URL)).arrayBuffer())).toBe(SONG);
  });

  test("from an answer of the whole, when nothing was handed out", async () => {
    const { client } = createWorld((_, index) => whole(index === 0 ? brokenAfter("") : SONG, LENGTH));
    expect(text(await (await client.audio.download(AUDIO_URL)).arrayBuffer())).toBe(SONG);
  });

  test("when its first bytes had to tell the format", async () => {
    const { client } = createWorld((request, index) =>
      index === 0
        ? new Response(brokenAfter(SONG.slice(0, 14)), { headers: { ...ETAG, ...LENGTH } })
        : part(startOf(request), ETAG),
    );
    expect(text(await (await client.audio.download(AUDIO_URL)).arrayBuffer())).toBe(SONG);
  });

  test("when it ends cleanly before its length", async () => {
    const { client } = createWorld((request, index) =>
      index === 0 ? whole(SONG.slice(0, 6), { ...ETAG, ...LENGTH }) : part(startOf(request), ETAG),
    );
    expect(text(await (await client.audio.download(AUDIO_URL)).arrayBuffer())).toBe(SONG);
  });
});

describe("two versions are never mixed: it is an AudioDownloadError when", () => {
  const other = SONG.replace("la", "lo");
  test.each<[what: string, headers: HeaderFields, then: (request: SeenRequest) => Response]>([
    ["the whole of another version comes", ETAG, () => whole(other, { ETag: '"v2"' })],
    ["the whole comes with a date alone, which has whole seconds", MODIFIED, () => whole(other, MODIFIED)],
    ["a part of another version comes", ETAG, (request) => part(startOf(request), { ETag: '"v2"' })],
    [
      "a part of another version comes, which a weak tag tells",
      { ETag: 'W/"v1"', ...MODIFIED },
      (request) => part(startOf(request), { ETag: 'W/"v2"' }),
    ],
    [
      "a part of a later change comes",
      MODIFIED,
      (request) => part(startOf(request), { "Last-Modified": "Fri, 02 Jan 2026 00:00:00 GMT" }),
    ],
    [
      "a part of another length comes",
      { ...ETAG, "Content-Length": "99" },
      (request) => part(startOf(request)),
    ],
    [
      "a part comes, and nothing tells whether it is all of the rest",
      ETAG,
      (request) => part(startOf(request), { ...ETAG, "Content-Range": "bytes 6-11/*" }, SONG.slice(6, 12)),
    ],
    ["a part from elsewhere comes", ETAG, () => part(3, ETAG)],
    ["a part comes that does not say from where", ETAG, () => whole(SONG.slice(6), ETAG, 206)],
    [
      "a part of unknown length comes, and only the length could tell",
      MODIFIED,
      () => whole(SONG.slice(6), { "Content-Range": "bytes 6-22/*" }, 206),
    ],
  ])("%s", async (_, headers, then) => {
    const { client, requests } = breaking(headers, then);
    await rejection((await client.audio.download(AUDIO_URL)).arrayBuffer(), AudioDownloadError);
    expect(requests).toHaveLength(2);
  });

  test.each<[what: string, headers: HeaderFields]>([
    ["nothing would tell another version", {}],
    ["its length would not tell another version", LENGTH],
    ["a weak tag would not promise the same bytes", { ETag: 'W/"v1"', ...LENGTH }],
    ["the bytes are coded, which no range counts", { ...ETAG, "Content-Encoding": "x-own" }],
  ])("%s, and no rest is asked for", async (_, headers) => {
    const { client, requests } = breaking(headers, (request) => part(startOf(request)));
    await rejection((await client.audio.download(AUDIO_URL)).arrayBuffer(), AudioDownloadError);
    expect(requests).toHaveLength(1);
  });
});

test("a body whose rest never comes is an AudioDownloadError after the retries, as an expired one is expired", async () => {
  const { client, requests } = breaking({ ...ETAG, ...LENGTH });
  await rejection((await client.audio.download(AUDIO_URL)).arrayBuffer(), AudioDownloadError);
  expect(requests).toHaveLength(3);

  const once = breaking({ ...ETAG, ...LENGTH });
  const impatient = await once.client.audio.download(AUDIO_URL, { maxRetries: 0 });
  await rejection(impatient.arrayBuffer(), AudioDownloadError);
  expect(once.requests).toHaveLength(1);

  const gone = breaking(ETAG, () => new Response("", { status: 404 }));
  await rejection((await gone.client.audio.download(AUDIO_URL)).arrayBuffer(), AudioExpiredError);
});

test("an abort, or leaving, while the rest is waited for ends it", async () => {
  const reason = new Error("enough");
  const away = () => new Response("away", { status: 503, headers: { "Retry-After": "60" } });
  const controller = new AbortController();
  const { client, clock } = breaking(ETAG, away);
  const audio = await client.audio.download(AUDIO_URL, { signal: controller.signal });
  void clock.sleep(30_000).then(() => controller.abort(reason));
  await expect(audio.arrayBuffer()).rejects.toBe(reason);

  const left = breaking(ETAG, away);
  const reader = (await left.client.audio.download(AUDIO_URL)).body.getReader();
  await reader.read();
  void left.clock.sleep(30_000).then(() => reader.cancel());
  await expect(reader.read()).resolves.toEqual({ done: true, value: undefined });
  expect(left.requests).toHaveLength(2);
});
