import { getEventListeners } from "node:events";
import { type AudioDownload, AudioDownloadError } from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import { unwatch } from "../../lifecycle/begun.js";
import { all } from "../../support/collect.js";
import { collectGarbage } from "../../support/collect-garbage.js";
import { connect } from "../../support/connect.js";
import { expectNoKey } from "../../support/leaks.js";
import { cutAfter, listen } from "../../support/loopback.js";
import { rejection } from "../../support/rejection.js";
import { streamOf } from "../../support/stream.js";
import { turns } from "../../support/test-clock.js";
import { createTimeLimit } from "../../support/time-limit.js";
import { API_KEY, clientOf, createWorld } from "../../support/world.js";
import { AUDIO_URL, download, encode, endless, mp3 } from "./support.js";

afterEach(() => void vi.useRealTimers());

const AUDIO_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n";

describe("a body that was already read", () => {
  const again = ["arrayBuffer", "blob"] as const;

  test.each([
    ["whole, without a stated length", {}, (audio: AudioDownload) => audio.arrayBuffer()],
    ["whole, with a stated length", { "Content-Length": "8" }, (audio: AudioDownload) => audio.arrayBuffer()],
    ["chunk by chunk, without a stated length", {}, (audio: AudioDownload) => all(audio.body)],
    ["chunk by chunk", { "Content-Length": "8" }, (audio: AudioDownload) => all(audio.body)],
  ])("%s, is not returned as an empty file", async (_, headers, read) => {
    for (const method of again) {
      const audio = await download(() => mp3(undefined, headers));
      await read(audio);
      const error = await rejection(audio[method](), AudioDownloadError);
      expect(error.message).toContain("its body was read before");
      expect(error.url).toBe(AUDIO_URL);
    }
  });

  test.each([{}, { "Content-Length": "8" }])(
    "in part is not returned cut, with the headers %j",
    async (headers) => {
      for (const method of again) {
        const audio = await download(() => mp3(streamOf(["la la ", "la"].map(encode)), headers));
        const reader = audio.body.getReader();
        await reader.read();
        reader.releaseLock();
        const { message } = await rejection(audio[method](), AudioDownloadError);
        expect(message).toContain("its body was read before");
      }
    },
  );
});

describe("a body", () => {
  const READERS: [name: string, read: (audio: AudioDownload) => Promise<unknown>][] = [
    ["arrayBuffer", (audio) => audio.arrayBuffer()],
    ["blob", (audio) => audio.blob()],
    ["body", (audio) => new Response(audio.body).bytes()],
  ];

  const CUTS: [what: string, bytes: string][] = [
    ["short of its Content-Length", `${AUDIO_HEAD}Content-Length: 500\r\n\r\nla la`],
    ["before its first byte", `${AUDIO_HEAD}Content-Length: 500\r\n\r\n`],
    ["between two chunks", `${AUDIO_HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nla la\r\n`],
    ["of a detected format", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nID3 and some more bytes"],
  ];

  describe.each(READERS)("read by %s", (_, read) => {
    test.each(CUTS)("that is cut %s is an AudioDownloadError", async (_, bytes) => {
      const server = await listen((to) => cutAfter(to, bytes));
      const { client } = connect(server);
      const audio = await client.audio.download(`${server.url}/song`);
      const error = await rejection(read(audio), AudioDownloadError);
      expect(error).toMatchObject({ url: `${server.url}/song`, status: 200 });
      expectNoKey(error, API_KEY);
    });

    test.each([3, 99])("that ends before or after its Content-Length of %i is an error", async (length) => {
      const { client } = createWorld(() => mp3(undefined, { "Content-Length": String(length) }));
      const { message } = await rejection(read(await client.audio.download(AUDIO_URL)), AudioDownloadError);
      expect(message).toContain(`8 bytes arrived, not the stated ${length}`);
    });

    test("that stalls is an AudioDownloadError after timeoutMs without a byte", async () => {
      const { timeoutMs, pass } = createTimeLimit();
      const stopping = (piece: string) =>
        onDemand((controller) => {
          if (piece === "") return new Promise<void>(() => void setImmediate(pass));
          controller.enqueue(new TextEncoder().encode(piece));
          piece = "";
          return Promise.resolve();
        });
      const audio = await download(() => mp3(stopping("la la"), { "Content-Length": "500" }), { timeoutMs });
      const { message } = await rejection(read(audio), AudioDownloadError);
      expect(message).toContain("the connection stalled after 5 bytes");
    });
  });

  test("may take longer than timeoutMs in total, if no chunk does", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let pieces = 0;
    const slow = onDemand((controller) => {
      vi.advanceTimersByTime(100);
      if (pieces++ < 8) controller.enqueue(new Uint8Array(3));
      else controller.close();
    });
    const audio = await download(() => mp3(slow), { timeoutMs: 130 });
    expect((await audio.arrayBuffer()).byteLength).toBe(24);
  });

  test.each([1, 2, 4])(
    "may pause longer than timeoutMs while its reader has piece %d",
    async (pauseAfter) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      let made = 0;
      const body = onDemand((controller) => {
        if (made++ < 5) controller.enqueue(new Uint8Array(10));
        else controller.close();
      });
      const audio = await download(() => mp3(body), { timeoutMs: 40, maxRetries: 0 });
      let pieces = 0;
      let bytes = 0;
      for await (const piece of audio.body) {
        bytes += piece.byteLength;
        if (++pieces === pauseAfter) vi.advanceTimersByTime(80);
        await turns(2);
      }
      expect(bytes).toBe(50);
    },
  );

  test("can still be read after a pause of more than timeoutMs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await turns(2);
        if (pieces++ < 5) controller.enqueue(new Uint8Array(10));
        else controller.close();
      },
    });
    const audio = await download(() => mp3(body), { timeoutMs: 40 });
    await turns(20);
    vi.advanceTimersByTime(80);
    expect((await audio.arrayBuffer()).byteLength).toBe(50);
  });

  test.each<[what: string, respond: (body: BodyInit) => Response]>([
    ["of a stated format", mp3],
    ["of a detected format", (body) => new Response(body)],
  ])("%s whose loop is left is canceled", async (_, respond) => {
    let left = 0;
    const audio = await download(() => respond(endless(() => left++)));
    for await (const _ of audio.body) break;
    expect(left).toBe(1);
  });

  test("that stalls can be canceled without waiting for the timeout", async () => {
    const server = await listen((to) => {
      to.writeHead(200, { "Content-Type": "audio/mpeg", "Content-Length": "500" }).flushHeaders();
    });
    const { client } = connect(server);
    const audio = await client.audio.download(`${server.url}/song`, { timeoutMs: 60_000 });
    const reader = audio.body.getReader();
    const piece = reader.read();
    await turns(3);
    await reader.cancel();
    await expect(piece).resolves.toEqual({ done: true, value: undefined });

    const unread = await client.audio.download(`${server.url}/song`, { timeoutMs: 60_000 });
    await turns(3);
    await unread.body.cancel();
  });
});

/** A body that produces nothing before it is read. */
function onDemand(
  pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void | Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

describe("a download with a long-lived signal", () => {
  const begin = async (signal: AbortSignal, body = endless(), type: string | null = "audio/mpeg") => {
    const headers = new Headers(type === null ? {} : { "Content-Type": type });
    return download(() => new Response(body, { headers }), { signal });
  };
  const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

  test.each(["audio/mpeg", null])("has one listener until its body of type %s is canceled", async (type) => {
    const { signal } = new AbortController();
    const { body } = await begin(signal, endless(), type);
    const reader = body.getReader();
    await reader.read();
    expect(listenersOf(signal)).toBe(1);
    await reader.cancel();
    expect(listenersOf(signal)).toBe(0);
  });

  test("adds one listener while a read waits, and ends it with the reason of an abort", async () => {
    const controller = new AbortController();
    const { body } = await begin(controller.signal, new ReadableStream());
    const reading = body.getReader().read();
    expect(listenersOf(controller.signal)).toBe(1);
    controller.abort("stop");
    await expect(reading).rejects.toBe("stop");
    expect(listenersOf(controller.signal)).toBe(0);
  });

  test("has no listener after its body was read to the end", async () => {
    const { signal } = new AbortController();
    const audio = await begin(signal, new Blob(["song"]).stream());
    await audio.arrayBuffer();
    expect(listenersOf(signal)).toBe(0);
  });

  test.each(["before its first read", "between two reads"])("is canceled by an abort %s", async (when) => {
    const controller = new AbortController();
    const { signal } = controller;
    let requested: AbortSignal | undefined;
    const client = clientOf(async (_, init) => {
      requested = init?.signal ?? undefined;
      return mp3(endless());
    });
    const { body } = await client.audio.download(AUDIO_URL, { signal });
    if (when === "between two reads") await body.getReader().read();
    controller.abort();
    expect(requested?.aborted).toBe(true);
  });

  test("ends its next read with the reason if the signal is aborted between two reads", async () => {
    const controller = new AbortController();
    let canceled = 0;
    const { body } = await begin(
      controller.signal,
      endless(() => canceled++),
    );
    const reader = body.getReader();
    await reader.read();
    controller.abort("stop");
    await expect(reader.read()).rejects.toBe("stop");
    expect(canceled).toBe(1);
  });

  test.each(["audio/mpeg", null])("cancels the response with its unread body of type %s", async (type) => {
    let canceled = 0;
    const { body } = await begin(
      new AbortController().signal,
      endless(() => canceled++),
      type,
    );
    await body.cancel();
    expect(canceled).toBe(1);
  });
});

test("a custom `fetch` whose body has strings fails as a broken body, not as one that is too large", async () => {
  const strings = () => new ReadableStream<string>({ pull: (to) => to.enqueue("la") });
  const fetch = async () =>
    new Response(strings() as ReadableStream<never>, { headers: { "Content-Type": "audio/mpeg" } });
  const { client } = connect({ url: "http://music.example" }, { fetch });
  const audio = await client.audio.download(AUDIO_URL);
  const error = await rejection(audio.arrayBuffer(), AudioDownloadError);
  expect(error.cause).toMatchObject({ message: expect.stringContaining("other than bytes") });
});

test("a download whose format was detected, and that is not read, ends its connection when it is garbage-collected", async () => {
  // The stack of each signal would keep the download in memory.
  unwatch();
  let canceled = 0;
  const untyped = () => new Response(endless(() => void canceled++));
  const client = clientOf(async () => untyped());
  const { signal } = new AbortController();
  const abandon = async () => void (await client.audio.download(AUDIO_URL, { signal }));
  for (let count = 0; count < 3; count++) await abandon();
  await collectGarbage();
  await collectGarbage();
  expect(canceled).toBe(3);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
