import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type AudioDownload, AudioDownloadError, InvalidOptionError } from "async-music";
import { saveAudio } from "async-music/node";
import { describe, expect, test } from "vitest";
import { connect } from "../../support/connect.js";
import { createFolder } from "../../support/folder.js";
import { listen } from "../../support/loopback.js";
import { rejection } from "../../support/rejection.js";
import { streamOf } from "../../support/stream.js";
import { createWorld } from "../../support/world.js";
import { AUDIO_URL, breaking, download, ETAG, encode, endless, mp3, part, SONG, startOf } from "./support.js";

const GIB = 2 ** 30;

/** Every way to read a body. Each resolves with the number of its bytes. */
const READERS: [name: string, read: (audio: AudioDownload) => Promise<number>][] = [
  ["arrayBuffer", async (audio) => (await audio.arrayBuffer()).byteLength],
  ["blob", async (audio) => (await audio.blob()).size],
  ["body", async (audio) => (await new Response(audio.body).bytes()).byteLength],
  [
    "saveAudio",
    async (audio) => {
      const folder = await createFolder();
      try {
        await saveAudio(audio, join(folder, "song"));
      } catch (error) {
        // Nothing is left on disk.
        expect(await readdir(folder)).toEqual([]);
        throw error;
      }
      return SONG.length;
    },
  ],
];

describe.each(READERS)("`maxBytes` for `%s`", (_, read) => {
  const letters = () => streamOf([...SONG].map((letter) => encode(letter)));

  test.each([-1, 0, 1])("at the size of a body without a stated size, plus %i", async (more) => {
    const { client, requests } = createWorld(() => mp3(letters()));
    const audio = await client.audio.download(AUDIO_URL, { maxBytes: SONG.length + more });
    if (more >= 0) return expect(await read(audio)).toBe(SONG.length);
    const error = await rejection(read(audio), AudioDownloadError);
    expect(error).toMatchObject({ url: AUDIO_URL, status: 200 });
    expect(error.message).toContain(`larger than ${SONG.length - 1} bytes`);
    expect(error.message).toContain("`maxBytes`");
    expect(requests).toHaveLength(1);
  });

  test("counts the bytes before a resumption and after it, once each", async () => {
    const world = () => breaking(ETAG, (request) => part(startOf(request), ETAG));
    const fits = await world().client.audio.download(AUDIO_URL, { maxBytes: SONG.length });
    expect(await read(fits)).toBe(SONG.length);
    const over = await world().client.audio.download(AUDIO_URL, { maxBytes: SONG.length - 1 });
    await rejection(read(over), AudioDownloadError);
  });

  test("cancels a body that never ends", async () => {
    let canceled = 0;
    const { client } = createWorld(() => mp3(endless(() => canceled++)));
    await rejection(read(await client.audio.download(AUDIO_URL, { maxBytes: 1000 })), AudioDownloadError);
    expect(canceled).toBe(1);
  });

  test("applies to a body whose format is detected from its first bytes, and it is requested once", async () => {
    const { client, requests } = createWorld(() => new Response(SONG));
    const reading = client.audio.download(AUDIO_URL, { maxBytes: 5 }).then(read);
    await rejection(reading, AudioDownloadError);
    expect(requests).toHaveLength(1);
  });
});

describe("`maxBytes`", () => {
  test.each([-1, 0, 1])("at the stated size plus %i decides before the body is read", async (more) => {
    let canceled = 0;
    const body = () => new ReadableStream({ cancel: () => void canceled++ });
    const { client, requests } = createWorld(() => mp3(body(), { "Content-Length": "5000" }));
    const downloading = client.audio.download(AUDIO_URL, { maxBytes: 5000 + more });
    if (more >= 0) return expect((await downloading).size).toBe(5000);
    const error = await rejection(downloading, AudioDownloadError);
    expect(error).toMatchObject({ url: AUDIO_URL, status: 200 });
    expect([requests.length, canceled]).toEqual([1, 1]);
  });

  test.each([-1, 0, 1])("is 1 GiB by default: a stated size of 1 GiB plus %i", async (more) => {
    const downloading = download(() => mp3(endless(), { "Content-Length": String(GIB + more) }));
    if (more > 0) return void (await rejection(downloading, AudioDownloadError));
    const { body, size } = await downloading;
    expect(size).toBe(GIB + more);
    await body.cancel();
  });

  test("is 1 GiB by default for a body without a stated size", async () => {
    const piece = new Uint8Array(2 ** 26);
    for (const [more, isWhole] of [
      [0, true],
      [1, false],
    ] as const) {
      let left = 2 ** 4;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left-- > 0) return controller.enqueue(piece);
          if (more > 0) controller.enqueue(new Uint8Array(more));
          controller.close();
        },
      });
      const reading = (async () => {
        let total = 0;
        for await (const { byteLength } of (await download(() => mp3(body))).body) total += byteLength;
        return total;
      })();
      if (isWhole) expect(await reading).toBe(GIB);
      else await rejection(reading, AudioDownloadError);
    }
  });

  test("counts a file that changed during the download from its beginning", async () => {
    const { client } = breaking(ETAG, () => mp3(SONG, { ETag: '"v2"' }));
    const audio = await client.audio.download(AUDIO_URL, { maxBytes: SONG.length });
    expect((await audio.arrayBuffer()).byteLength).toBe(SONG.length);
  });

  test("of Infinity is no limit", async () => {
    const { client } = createWorld(() => mp3(null, { "Content-Length": String(Number.MAX_SAFE_INTEGER) }));
    const { size } = await client.audio.download(AUDIO_URL, { maxBytes: Number.POSITIVE_INFINITY });
    expect(size).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("of 0 allows no audio", async () => {
    await rejection((await download(() => mp3("a"), { maxBytes: 0 })).blob(), AudioDownloadError);
  });

  test.each([-1, 1.5, Number.NaN, "1000", null])("of %j is refused, and not sent", async (maxBytes) => {
    const { client, requests } = createWorld(() => mp3());
    const options = Object.assign(Object.create(null), { maxBytes });
    const error = await rejection(client.audio.download(AUDIO_URL, options), InvalidOptionError);
    expect([error.option, requests.length]).toEqual(["maxBytes", 0]);
  });
});

describe("a body in a content coding", () => {
  const coded = gzipSync(SONG.repeat(500));
  const bytes = (headers: string, body: Uint8Array) =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n${headers}Connection: close\r\n\r\n`),
      body,
    ]);
  const serving = (headers: string, body: Uint8Array = coded) =>
    listen((to) => to.socket?.end(bytes(headers, body)));
  const downloadFrom = async (server: { url: string }, accept?: string) => {
    const headers = accept === undefined ? {} : { "Accept-Encoding": accept };
    const { client } = connect(server as Awaited<ReturnType<typeof listen>>);
    const audio = await client.audio.download(`${server.url}/song`, { headers, maxRetries: 0 });
    return (await audio.arrayBuffer()).byteLength;
  };
  const whole = SONG.length * 500;

  // A gateway may cut off a coded body and end the response properly. Runtimes decode what has arrived.
  const whatArrives = (["complete", "cut off"] as const).flatMap((what) =>
    (["no stated end", "a length", "chunks"] as const).map((end) => [what, end] as const),
  );
  test.each(whatArrives)("that was not requested is an error: %s, with %s", async (what, end) => {
    const sent = what === "complete" ? coded : coded.subarray(0, -20);
    const chunks = [`${sent.byteLength.toString(16)}\r\n`, sent, "\r\n0\r\n\r\n"];
    const [framing, body] = {
      "no stated end": ["", sent] as const,
      "a length": [`Content-Length: ${sent.byteLength}\r\n`, sent] as const,
      chunks: [
        "Transfer-Encoding: chunked\r\n",
        Buffer.concat(chunks.map((each) => Buffer.from(each))),
      ] as const,
    }[end];
    const server = await serving(`Content-Encoding: gzip\r\n${framing}`, body);
    const error = await rejection(downloadFrom(server), AudioDownloadError);
    expect(error).toMatchObject({ url: `${server.url}/song`, status: 200 });
    expect(error.message).toContain("content coding");
    expect(server.arrivals).toHaveLength(1);
  });

  test.each(["gzip", "br, GZIP;q=0.5"])("is accepted if the caller requests %s", async (accept) => {
    expect(await downloadFrom(await serving("Content-Encoding: gzip\r\n"), accept)).toBe(whole);
  });

  test("that the caller did not request beside another one is an error", async () => {
    const { client } = createWorld(() => mp3(SONG, { "Content-Encoding": "br" }));
    const headers = { "Accept-Encoding": "gzip" };
    await rejection(client.audio.download(AUDIO_URL, { headers }), AudioDownloadError);
  });

  // Object stores return what was stated at the upload: "aws-chunked", or a character set.
  test.each(["identity", "Identity", "", "aws-chunked", "utf-8"])(
    "that no runtime decodes is accepted: %j",
    async (coding) => {
      const body = Buffer.from(SONG);
      const framing = `Content-Encoding: ${coding}\r\nContent-Length: ${body.byteLength}\r\n`;
      expect(await downloadFrom(await serving(framing, body))).toBe(body.byteLength);
      const cut = await serving(framing, body.subarray(0, -1));
      await rejection(downloadFrom(cut), AudioDownloadError);
    },
  );
});
