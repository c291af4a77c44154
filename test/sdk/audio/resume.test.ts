import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AudioDownloadError, AudioExpiredError } from "async-music";
import { saveAudio } from "async-music/node";
import { describe, expect, test } from "vitest";
import { abortedAfter } from "../../support/abort.js";
import { createFolder } from "../../support/folder.js";
import { rejection } from "../../support/rejection.js";
import { streamOf } from "../../support/stream.js";
import { API_KEY, createWorld, type SeenRequest } from "../../support/world.js";
import {
  AUDIO_URL,
  breaking,
  brokenAfter,
  ETAG,
  encode,
  failure,
  type HeaderFields,
  LENGTH,
  load,
  MODIFIED,
  mp3,
  part,
  SONG,
  startOf,
} from "./support.js";

// A download resumes where it broke off, and never mixes two versions of a file.

describe("a body that breaks off is resumed", () => {
  test.each<[by: string, headers: HeaderFields, ifRange: string | null]>([
    ["a strong entity tag", { ...ETAG, ...MODIFIED }, '"v1"'],
    ["its size and the time of its last change", MODIFIED, MODIFIED["Last-Modified"]],
  ])("by %s, without the key", async (_, headers, ifRange) => {
    for (const read of ["arrayBuffer", "blob", "body"] as const) {
      const { client, requests } = breaking({ ...headers, ...LENGTH }, (request) =>
        part(startOf(request), headers),
      );
      const audio = await client.audio.download(AUDIO_URL, { headers: { "X-Mine": `me ${API_KEY}` } });
      const bytes = read === "body" ? await new Response(audio.body).arrayBuffer() : await audio[read]();
      expect(await new Response(bytes).text()).toBe(SONG);
      expect(requests).toHaveLength(2);
      expect(requests[1]?.headers.get("Range")).toBe("bytes=6-");
      expect(requests[1]?.headers.get("If-Range")).toBe(ifRange);
      expect(JSON.stringify(requests.map((request) => [...request.headers]))).not.toContain(API_KEY);
    }
  });

  test("at most `maxRetries` times in total", async () => {
    const twoByTwo = (request: SeenRequest) => {
      const start = startOf(request);
      return start < 20 ? part(start, ETAG, brokenAfter(SONG.slice(start, start + 2))) : part(start, ETAG);
    };
    const patient = breaking({ ...ETAG, ...LENGTH }, twoByTwo);
    expect(await load(patient.client, { maxRetries: 8 })).toBe(SONG);
    expect(patient.requests.slice(1).map(startOf)).toEqual([6, 8, 10, 12, 14, 16, 18, 20]);

    const { client, requests } = breaking({ ...ETAG, ...LENGTH }, twoByTwo);
    await rejection(load(client), AudioDownloadError);
    expect(requests.slice(1).map(startOf)).toEqual([6, 8]);
  });

  test("with one budget for all waits, and with retries that are numbered through", async () => {
    const letter = (request: SeenRequest, index: number) => {
      const start = index === 0 ? 0 : startOf(request);
      const body = brokenAfter(SONG.slice(start, start + 1));
      return index === 0 ? mp3(body, { ...ETAG, ...LENGTH }) : part(start, ETAG, body);
    };
    const { client, requests } = createWorld(letter, { retryBudgetMs: 1600, random: () => 0.9 });
    const retries: number[] = [];
    let waitedMs = 0;
    client.on("retry", ({ retry, waitMs }) => {
      retries.push(retry);
      waitedMs += waitMs;
    });
    await rejection(load(client, { maxRetries: 9 }), AudioDownloadError);
    expect(retries).toEqual([1, 2]);
    expect(waitedMs).toBe(450 + 900);
    expect(requests).toHaveLength(3);
  });

  test("after a Retry-After, and after server errors", async () => {
    const { client, requests } = breaking(
      { ...ETAG, ...LENGTH },
      failure(503, { "Retry-After": "40" }),
      (request) => part(startOf(request), ETAG),
    );
    expect(await load(client)).toBe(SONG);
    expect(requests.map(({ at }) => at)).toEqual([0, 0, 40_000]);
  });

  const cut = (headers: HeaderFields) => mp3(brokenAfter(SONG.slice(0, 6)), headers);
  const untyped = () => new Response(brokenAfter(SONG.slice(0, 14)), { headers: { ...ETAG, ...LENGTH } });
  const short = () => mp3(SONG.slice(0, 6), { ...ETAG, ...LENGTH });

  test.each<[how: string, first: () => Response, then: (request: SeenRequest) => Response]>([
    ["from a complete response of the same version", () => cut(ETAG), () => mp3(SONG, ETAG)],
    [
      "from a complete response of the same size and date, if the ETag is weak",
      () => cut({ ETag: 'W/"v1"', ...MODIFIED, ...LENGTH }),
      (request) => mp3(request.headers.has("Range") ? "no" : SONG, { ...MODIFIED, ...LENGTH }),
    ],
    [
      "from a complete response, if no byte came yet",
      () => mp3(brokenAfter(""), LENGTH),
      () => mp3(SONG, LENGTH),
    ],
    [
      "when its format was detected from its first bytes",
      () => untyped(),
      (request) => part(startOf(request), ETAG),
    ],
    [
      "when it ends cleanly before its Content-Length",
      () => short(),
      (request) => part(startOf(request), ETAG),
    ],
  ])("%s", async (_, first, then) => {
    const { client } = createWorld((request, index) => (index === 0 ? first() : then(request)));
    const { body } = await client.audio.download(AUDIO_URL);
    expect(await new Response(body).text()).toBe(SONG);
  });
});

/** Without this header, a body in that coding is refused before it is read. */
const CODED = { headers: { "Accept-Encoding": "br" } };

describe("two versions are never mixed", () => {
  const other = SONG.replace("la", "lo");
  const V2 = { ETag: '"v2"' };
  const WEAK = { ETag: 'W/"v1"' };
  const LATER = { ...MODIFIED, "Last-Modified": "Fri, 02 Jan 2026 00:00:00 GMT" };
  /** The file may have changed again within that second. */
  const JUST_MODIFIED = { ...MODIFIED, Date: MODIFIED["Last-Modified"] };
  const TAGGED = { ...ETAG, ...LENGTH };

  /** The remainder with these headers. */
  const partWith = (headers: HeaderFields) => (request: SeenRequest) => part(startOf(request), headers);
  const undated = { "Last-Modified": MODIFIED["Last-Modified"] };

  const cases: [what: string, headers: HeaderFields, then: (request: SeenRequest) => Response][] = [
    ["the complete body of another version", ETAG, () => mp3(other, V2)],
    ["a complete response with only a date, exact to the second,", MODIFIED, () => mp3(other, MODIFIED)],
    ["a part of another version", ETAG, partWith(V2)],
    ["a part without its validator", TAGGED, partWith({})],
    ["a part with the other validator", { ...TAGGED, ...MODIFIED }, partWith(MODIFIED)],
    ["a part whose strong ETag has become a weak one", TAGGED, partWith(WEAK)],
    ["a weak part of another version", { ...WEAK, ...MODIFIED }, partWith({ ETag: 'W/"v2"', ...MODIFIED })],
    ["a part without a Last-Modified", { ...MODIFIED, ...LENGTH }, partWith({})],
    ["a part with a later Last-Modified", { ...MODIFIED, ...LENGTH }, partWith(LATER)],
    ["a part of a file that was just changed", { ...JUST_MODIFIED, ...LENGTH }, partWith(MODIFIED)],
    ["a part of a date without a clock", { ...undated, ...LENGTH }, partWith(MODIFIED)],
    ["a part of the date of a file of unknown size", MODIFIED, partWith(MODIFIED)],
    [
      "a part with a date and a weak ETag",
      { ...WEAK, ...MODIFIED, ...LENGTH },
      partWith({ ...WEAK, ...MODIFIED }),
    ],
    [
      "a complete body of the size and the date of a file that was just changed",
      { ...JUST_MODIFIED, ...LENGTH },
      () => mp3(other, { ...JUST_MODIFIED, ...LENGTH }),
    ],
    ["a part that states another total length", { ...ETAG, "Content-Length": "99" }, partWith(ETAG)],
    [
      "a part that does not cover the complete remainder",
      ETAG,
      (request) => part(startOf(request), { ...ETAG, "Content-Range": "bytes 6-11/*" }, SONG.slice(6, 12)),
    ],
    ["a part from elsewhere", ETAG, () => part(3, ETAG)],
    ["a part without a Content-Range", ETAG, () => mp3(SONG.slice(6), ETAG, 206)],
    [
      "a part of an encoded body",
      TAGGED,
      partWith({ ...ETAG, "Content-Encoding": "br", "Content-Length": "17" }),
    ],
  ];

  describe.each(cases)("%s", (_, headers, then) => {
    const world = () =>
      breaking(headers, (request) => (request.headers.has("Range") ? then(request) : mp3(other, V2)));

    test.each(["arrayBuffer", "blob"] as const)("makes `%s` start over", async (read) => {
      const { client } = world();
      const audio = await client.audio.download(AUDIO_URL, CODED);
      expect(await new Response(await audio[read]()).text()).toBe(other);
    });

    test("makes `saveAudio` start over", async () => {
      const folder = await createFolder();
      const { client } = world();
      const path = await saveAudio(await client.audio.download(AUDIO_URL, CODED), join(folder, "song"));
      await expect(readFile(path, "utf8")).resolves.toBe(other);
      await expect(readdir(folder)).resolves.toEqual(["song.mp3"]);
    });

    test("ends a stream, whose bytes can't be taken back, with an AudioDownloadError", async () => {
      const { client } = world();
      const { body } = await client.audio.download(AUDIO_URL, CODED);
      const received: string[] = [];
      const reading = (async () => {
        for await (const piece of body) received.push(new TextDecoder().decode(piece));
      })();
      await rejection(reading, AudioDownloadError);
      expect(received).toEqual([SONG.slice(0, 6)]);
    });
  });

  test("a stream continues from the complete body of the same version after an unconfirmed part", async () => {
    const { client, requests } = breaking(ETAG, (request) =>
      request.headers.has("Range") ? part(startOf(request)) : mp3(SONG, ETAG),
    );
    const { body } = await client.audio.download(AUDIO_URL);
    expect(await new Response(body).text()).toBe(SONG);
    expect(requests.map(({ headers }) => headers.get("Range"))).toEqual([null, "bytes=6-", null]);
    expect(requests[2]?.headers.get("If-Range")).toBeNull();
  });

  test("a version of another type does not replace the first one", async () => {
    const wav = { "Content-Type": "audio/wav", ETag: '"v2"' };
    const { client } = breaking(ETAG, () => mp3(other, wav));
    await rejection(load(client), AudioDownloadError);
  });

  test("a new version that breaks off is resumed as that version, with the retries that are left", async () => {
    const answers = (request: SeenRequest) =>
      request.headers.get("If-Range") === V2.ETag
        ? part(startOf(request), V2, other.slice(startOf(request)))
        : mp3(brokenAfter(other.slice(0, 9)), V2);
    const { client, requests } = breaking(TAGGED, answers);
    expect(await load(client)).toBe(other);
    expect(requests.slice(1).map(startOf)).toEqual([6, 9]);
    await rejection(load(breaking(TAGGED, answers).client, { maxRetries: 1 }), AudioDownloadError);
  });

  test("a shorter new version is complete", async () => {
    const { client } = breaking({ ...ETAG, ...LENGTH }, () => mp3("short", { ETag: '"v2"' }));
    expect(await load(client)).toBe("short");
  });

  test.each<[what: string, headers: HeaderFields]>([
    ["nothing identifies the version", {}],
    ["only its length identifies the version", LENGTH],
    ["only a weak tag identifies the version", { ...WEAK, ...LENGTH }],
    ["a date of the same second identifies the version", JUST_MODIFIED],
  ])("%s: the whole file is requested again, but not for a stream", async (_, headers) => {
    const { client, requests } = breaking(headers, () => mp3(other));
    expect(await load(client)).toBe(other);
    expect(requests.map((request) => request.headers.get("Range"))).toEqual([null, null]);

    const streamed = breaking(headers, () => mp3(other));
    const { body } = await streamed.client.audio.download(AUDIO_URL);
    await rejection(new Response(body).text(), AudioDownloadError);
    expect(streamed.requests).toHaveLength(1);
  });

  test("an encoded body is not requested again: its bytes are not those that a range counts", async () => {
    const { client, requests } = breaking({ ...ETAG, "Content-Encoding": "br" }, () => mp3(SONG));
    await rejection(load(client, CODED), AudioDownloadError);
    expect(requests).toHaveLength(1);
  });
});

describe("a body of unknown size that is complete except for its end mark", () => {
  const refused = (headers: HeaderFields) =>
    failure(416, { "Content-Range": `bytes */${SONG.length}`, ...headers });
  const world = (...then: ((request: SeenRequest) => Response)[]) =>
    createWorld((request, index) =>
      index === 0 ? mp3(brokenAfter(SONG), ETAG) : (then[index - 1] ?? failure(500))(request),
    );

  test.each<[how: string, ...then: (() => Response)[]]>([
    ["if the server confirms that the version ends there", refused(ETAG)],
    ["if the complete body has that size", refused({}), () => mp3(SONG, { ...ETAG, ...LENGTH })],
    ["if the server ignores the range", () => mp3(SONG, { ...ETAG, ...LENGTH })],
  ])("is accepted %s", async (_, ...then) => {
    const { client, requests } = world(...then);
    const { body } = await client.audio.download(AUDIO_URL);
    expect(await new Response(body).text()).toBe(SONG);
    expect(requests).toHaveLength(1 + then.length);
    expect(await load(world(...then).client)).toBe(SONG);
  });

  test.each<[what: string, headers: HeaderFields]>([
    ["another size", { ...ETAG, "Content-Range": "bytes */22" }],
    ["no size", { ...ETAG, "Content-Range": "" }],
    ["another version", { ETag: '"v2"' }],
    ["no version", {}],
  ])("is refused if the server states %s, and the error names the lost connection", async (_, headers) => {
    const { client, requests } = world(refused(headers), () => mp3(SONG));
    const { body } = await client.audio.download(AUDIO_URL);
    const error = await rejection(new Response(body).text(), AudioDownloadError);
    expect(requests).toHaveLength(3);
    expect(error).toMatchObject({ status: 200, message: expect.stringContaining("lost after 23 bytes") });
  });
});

test("a body that can't be resumed is an AudioDownloadError after the retries, or an AudioExpiredError", async () => {
  const { client, requests } = breaking({ ...ETAG, ...LENGTH });
  await rejection(load(client), AudioDownloadError);
  expect(requests).toHaveLength(3);

  const once = breaking({ ...ETAG, ...LENGTH });
  await rejection(load(once.client, { maxRetries: 0 }), AudioDownloadError);
  expect(once.requests).toHaveLength(1);

  const gone = breaking(ETAG, failure(404));
  await rejection(load(gone.client), AudioExpiredError);
});

test("an abort or a cancel ends the wait before a resume", async () => {
  const reason = new Error("enough");
  const away = failure(503, { "Retry-After": "60" });
  const { client, clock } = breaking(ETAG, away);
  await expect(load(client, { signal: abortedAfter(clock, 30_000, reason) })).rejects.toBe(reason);

  const left = breaking(ETAG, away);
  const reader = (await left.client.audio.download(AUDIO_URL)).body.getReader();
  await reader.read();
  void left.clock.sleep(30_000).then(() => reader.cancel());
  await expect(reader.read()).resolves.toEqual({ done: true, value: undefined });
  expect(left.requests).toHaveLength(2);
});

test("an abort before the first resumed bytes rejects with its reason, even without a retry left", async () => {
  const controller = new AbortController();
  const { client } = breaking(ETAG, () =>
    mp3(new ReadableStream({ pull: () => controller.abort("stop") }, { highWaterMark: 0 }), ETAG),
  );
  await expect(load(client, { signal: controller.signal, maxRetries: 1 })).rejects.toBe("stop");
});

test("a body that breaks off before its format is detected is requested three times, and the error says where", async () => {
  const answers: (number | null)[] = [];
  const { client, requests } = createWorld(() => new Response(brokenAfter("la la"), { headers: ETAG }));
  client.on("response", ({ status }) => answers.push(status));
  const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
  expect(error).toMatchObject({ status: 200, message: expect.stringContaining("after 5 bytes") });
  expect(requests).toHaveLength(3);
  expect(answers).toEqual([200, 200, 200]);
});

describe("the remainder of a body that broke off", () => {
  test("is taken from a complete body in small chunks, without empty chunks", async () => {
    const pieces = [...SONG].map((letter) => encode(letter));
    const { client } = breaking(ETAG, () => mp3(streamOf(pieces), ETAG));
    const received: string[] = [];
    for await (const piece of (await client.audio.download(AUDIO_URL)).body)
      received.push(new TextDecoder().decode(piece));
    expect(received).toEqual([SONG.slice(0, 6), ...SONG.slice(6)]);
  });

  test("is canceled if it is another version's", async () => {
    let canceled = 0;
    const rest = new ReadableStream({ cancel: () => void canceled++ });
    const { client } = breaking(ETAG, () => mp3(rest, { ETag: '"v2"' }));
    const { body } = await client.audio.download(AUDIO_URL);
    await rejection(new Response(body).text(), AudioDownloadError);
    expect(canceled).toBe(1);
  });

  test("must have the length of its own response if the first one stated none", async () => {
    const { client } = breaking(ETAG, () => part(6, ETAG, SONG.slice(6, 9)));
    await rejection(load(client, { maxRetries: 1 }), AudioDownloadError);
  });

  test("is accepted if a weak ETag has become a strong one", async () => {
    const dated = { ...MODIFIED, ...LENGTH };
    const { client } = breaking({ ETag: 'W/"v1"', ...dated }, () => mp3(SONG, { ...ETAG, ...dated }));
    const { body } = await client.audio.download(AUDIO_URL);
    expect(await new Response(body).text()).toBe(SONG);
  });

  test("is not taken from a part whose length is not that of its range", async () => {
    const wrong = { "Content-Range": `bytes 6-9/${SONG.length}`, "Content-Length": String(SONG.length - 6) };
    const { client, requests } = breaking(
      { ...ETAG, ...LENGTH },
      () => part(6, { ...ETAG, ...wrong }, "x".repeat(SONG.length - 6)),
      () => mp3(SONG, { ...ETAG, ...LENGTH }),
    );
    expect(await load(client)).toBe(SONG);
    expect(requests).toHaveLength(3);
  });

  const RANGE = { "Content-Range": "bytes 10-22/23" };
  test.each<[string, number, HeaderFields, HeaderFields, string]>([
    ["the caller asked for a part", 206, { Range: "bytes=10-" }, RANGE, SONG.slice(10, 15)],
    ["every byte came", 200, {}, LENGTH, SONG],
  ])("is not requested if %s", async (_, status, headers, fields, text) => {
    const { client, requests } = createWorld(() => mp3(brokenAfter(text), { ...ETAG, ...fields }, status));
    await rejection(load(client, { headers }), AudioDownloadError);
    expect(requests).toHaveLength(1);
  });
});
