import { expect, test } from "vitest";
import { CLIP } from "../../support/responses.js";
import { streamOf } from "../../support/stream.js";
import { createWorld } from "../../support/world.js";

// audio_format behavior, 4: only the Content-Type states the format reliably.

const URL_WITH_EXTENSION = "https://audio.example/song.flac";

async function download(contentType: string | null, bytes: number[] | string) {
  const body = typeof bytes === "string" ? new TextEncoder().encode(bytes) : new Uint8Array(bytes);
  const { client } = createWorld(() => {
    const response = new Response(body);
    if (contentType === null) response.headers.delete("Content-Type");
    else response.headers.set("Content-Type", contentType);
    return response;
  });
  return client.audio.download(URL_WITH_EXTENSION);
}

const TYPES: [contentType: string, extension: string][] = [
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
  ["AUDIO/MPEG", "mp3"],
  ["audio/mpeg; charset=binary", "mp3"],
  [" audio/mpeg ;x=y", "mp3"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/vnd.wave", "wav"],
  ["audio/flac", "flac"],
  ["audio/x-flac", "flac"],
  ["audio/ogg", "ogg"],
  ["audio/ogg; codecs=opus", "ogg"],
  ["application/ogg", "ogg"],
  ["audio/mp4", "m4a"],
  ["audio/x-m4a", "m4a"],
  ["audio/m4a", "m4a"],
  ["audio/aiff", "bin"],
  ["audio", "bin"],
  ["toString", "bin"],
  ["constructor", "bin"],
];

test.each(TYPES)("%j has the extension %s, whatever the bytes are", async (contentType, extension) => {
  const audio = await download(contentType, "fLaC and more");
  expect(audio.extension).toBe(extension);
  expect(audio.contentType).toBe(contentType.trim());
});

const BYTES: [what: string, bytes: number[] | string, extension: string][] = [
  ["an ID3 tag", "ID3\u0004\u0000\u0000", "mp3"],
  ["an MPEG-1 frame", [0xff, 0xfb, 0x90, 0x64], "mp3"],
  ["an MPEG-2 frame", [0xff, 0xf3, 0x40, 0xc0], "mp3"],
  ["RIFF and WAVE", "RIFF\u0024\u0000\u0000\u0000WAVEfmt ", "wav"],
  ["fLaC", "fLaC\u0000\u0000\u0000\u0022", "flac"],
  ["OggS", "OggS\u0000\u0002", "ogg"],
  ["an ftyp box", "\u0000\u0000\u0000\u0020ftypM4A ", "m4a"],
  ["RIFF of something else", "RIFF\u0024\u0000\u0000\u0000AVI LIST", "bin"],
  ["set bits that are no frame", [0xff, 0xff, 0xff, 0xff], "bin"],
  ["ten set bits, where a frame has eleven", [0xff, 0xdb, 0x90, 0x64], "bin"],
  ["a bit rate that does not exist", [0xff, 0xfb, 0xf0, 0x64], "bin"],
  ["text", "<!doctype html><html></html>", "bin"],
  ["one byte", [0xff], "bin"],
];

for (const contentType of [null, "application/octet-stream", "Application/Octet-Stream; x=y"]) {
  test.each(BYTES)(`with the type ${contentType}, %s decides`, async (_, bytes, extension) => {
    const audio = await download(contentType, bytes);
    expect(audio.extension).toBe(extension);
    const whole = new Uint8Array(await audio.arrayBuffer());
    expect(whole).toEqual(
      typeof bytes === "string" ? new TextEncoder().encode(bytes) : new Uint8Array(bytes),
    );
  });
}

test("the format is detected from bytes that arrive one by one, without losing any", async () => {
  const pieces = [..."RIFF____WAVEfmt and the rest"].map((letter) => new TextEncoder().encode(letter));
  const { client } = createWorld(() => new Response(streamOf(pieces)));
  const audio = await client.audio.download(URL_WITH_EXTENSION);
  expect(audio.extension).toBe("wav");
  expect(new TextDecoder().decode(await audio.arrayBuffer())).toBe("RIFF____WAVEfmt and the rest");
});

test("a response without a type has the type application/octet-stream", async () => {
  expect((await download(null, "x")).contentType).toBe("application/octet-stream");
});

test("a blob has the type of the response", async () => {
  const blob = await (await download("audio/mpeg", "abc")).blob();
  expect([blob.type, blob.size]).toEqual(["audio/mpeg", 3]);
});

test.each([
  ["3", null, 3],
  [null, null, null],
  ["many", null, null],
  ["3", "identity", 3],
  ["99", "gzip", null],
])("with Content-Length %j and Content-Encoding %j the size is %j", async (length, coding, size) => {
  const { client } = createWorld(() => {
    const headers = new Headers({ "Content-Type": "audio/mpeg" });
    if (length !== null) headers.set("Content-Length", length);
    if (coding !== null) headers.set("Content-Encoding", coding);
    return new Response("abc", { headers });
  });
  const headers = { "Accept-Encoding": coding ?? "identity" };
  const audio = await client.audio.download(URL_WITH_EXTENSION, { headers });
  expect(audio.size).toBe(size);
  expect((await audio.arrayBuffer()).byteLength).toBe(3);
});

test("a clip is downloaded from its audio_url, or from a URL object", async () => {
  const { client, requests } = createWorld(() => new Response("la"));
  await client.audio.download({ ...CLIP, audio_url: "https://audio.example/c?sig=a%2Fb" });
  await client.audio.download(new URL("https://audio.example/d"));
  await client.audio.download("HTTPS://audio.example/e");
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET https://audio.example/c?sig=a%2Fb",
    "GET https://audio.example/d",
    "GET https://audio.example/e",
  ]);
});
