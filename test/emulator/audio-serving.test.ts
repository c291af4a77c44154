import { beforeAll, describe, expect, test } from "vitest";
import { BALANCE, clipsOf, createService, fetchBytes, VALID } from "./support/service.js";

const SEVEN_DAYS = 7 * 24 * 3600 * 1000;

const isWav = (bytes: Buffer) => bytes.subarray(0, 4).toString() === "RIFF";
const isMp3 = (bytes: Buffer) => bytes[0] === 0xff && (bytes[1] ?? 0) >= 0xe0;
const FAILING = { audio_conversion: "failing" } as const;
const mp3Of = (request: object) => ({ ...request, audio_format: "mp3" });

describe("formats", () => {
  test.each([
    ["provider_a's own file is WAV", VALID.song, {}, {}, "audio/wav"],
    ["provider_b's own file is MP3", VALID.providerB, {}, {}, "audio/mpeg"],
    ["WAV is converted to a requested MP3", mp3Of(VALID.song), {}, {}, "audio/mpeg"],
    ["MP3 passes through when MP3 is requested", mp3Of(VALID.providerB), {}, {}, "audio/mpeg"],
    ["provider_a may switch its format", VALID.song, { format: "mp3" }, {}, "audio/mpeg"],
    ["provider_b may switch its format", VALID.providerB, { format: "wav" }, {}, "audio/wav"],
    ["a failed conversion serves the source", mp3Of(VALID.song), {}, FAILING, "audio/wav"],
    ["without conversion the source is served", VALID.song, {}, { audio_conversion: "off" }, "audio/wav"],
    ["an upload is converted, too", mp3Of(VALID.upload), {}, {}, "audio/mpeg"],
  ] as const)("%s", async (_, body, outcome, policy, contentType) => {
    const service = createService({ policy });
    const task = await service.read(await service.create(body, { polls: 1, ...outcome }));
    expect(task.audio_format).toBe("audio_format" in body ? "mp3" : null);
    const [clip] = task.output.result;
    const { status, headers, bytes } = await fetchBytes(service, clip.audio_url);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe(contentType);
    expect(headers.get("Content-Length")).toBe(String(bytes.length));
    expect([isWav(bytes), isMp3(bytes)]).toEqual([contentType === "audio/wav", contentType === "audio/mpeg"]);
  });

  test.each([
    ["wav", {}],
    ["mp3", {}],
    ["mp3", { audio_format: "mp3" }],
  ])("the provider's own %s file is served byte for byte for a request with %j", async (format, more) => {
    const service = createService();
    const [clip] = await clipsOf(service, { ...VALID.song, ...more }, { format, clips: 1 });
    const served = await fetchBytes(service, clip.audio_url);
    const source = await fetchBytes(service, `https://provider-a.test/provider_a/audio/${clip.id}`);
    expect([served.status, source.status]).toEqual([200, 200]);
    expect(served.bytes.equals(source.bytes)).toBe(true);
    expect(served.headers.get("Content-Type")).toBe(source.headers.get("Content-Type"));
  });

  test("a song lasts as long as its metadata says", async () => {
    const service = createService();
    const [clip] = await clipsOf(service);
    const { bytes } = await fetchBytes(service, clip.audio_url);
    expect((bytes.length - 44) / bytes.readUInt32LE(28)).toBeCloseTo(clip.metadata.duration, 0);
  });

  test.each([0, 0.5, 10])("a joined clip has its source up to %j s, then the rest", async (continueAt) => {
    const service = createService();
    const [source] = await clipsOf(service);
    const continuation = { ...VALID.song, input: { continue_clip_id: source.id, continue_at: continueAt } };
    const [continued] = await clipsOf(service, continuation, { clips: 1 });
    const [joined] = await clipsOf(service, { ...VALID.concat, input: { clip_id: continued.id } });
    const lengthOf = async (url: string) => (await fetchBytes(service, url)).bytes.length;
    const [part, whole] = [await lengthOf(continued.audio_url), await lengthOf(joined.audio_url)];
    const seconds = (whole - part) / (16_000 * 2);
    // The two are joined by a short fade.
    expect(seconds).toBeGreaterThan(continueAt - 1);
    expect(seconds).toBeLessThanOrEqual(continueAt);
  });
});

describe("range requests", () => {
  // Rendering audio takes most of a test's time: one file serves all of these.
  const service = createService();
  let url: string;
  beforeAll(async () => {
    [{ audio_url: url }] = await clipsOf(service, VALID.upload);
  });
  const fetchRange = (range: string, more: Record<string, string> = {}) =>
    fetchBytes(service, url, { headers: { Range: range, ...more } });

  test.each([
    ["bytes=0-9", 0, 10],
    ["bytes=100-", 100, undefined],
    ["bytes=-20", -20, undefined],
    ["bytes=10-99999999999", 10, undefined],
    ["bytes=-99999999999", 0, undefined],
  ])("%s gets a 206 with that part and its position", async (range, start, end) => {
    const { bytes, headers } = await fetchBytes(service, url);
    expect(headers.get("Accept-Ranges")).toBe("bytes");
    expect(headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    const part = await fetchRange(range);
    const expected = bytes.subarray(start, end);
    const first = start < 0 ? bytes.length + start : start;
    const last = first + expected.length - 1;
    expect([part.status, part.bytes.equals(expected)]).toEqual([206, true]);
    expect(part.headers.get("Content-Length")).toBe(String(expected.length));
    expect(part.headers.get("Content-Range")).toBe(`bytes ${first}-${last}/${bytes.length}`);
  });

  test("a range beyond the file gets a 416 with the file's length", async () => {
    const { length } = (await fetchBytes(service, url)).bytes;
    for (const range of ["bytes=99999999999-", `bytes=${length}-`, "bytes=-0"]) {
      const { status, headers } = await fetchRange(range);
      expect([range, status, headers.get("Content-Range")]).toEqual([range, 416, `bytes */${length}`]);
    }
  });

  test("an invalid or multiple range is ignored", async () => {
    for (const range of ["bytes=5-2", "bytes=a-b", "items=0-5", "bytes=0-1,4-5", "bytes=-", ""])
      expect([range, (await fetchRange(range)).status]).toEqual([range, 200]);
  });

  test("If-Range gets the part only for the current ETag, and the whole file otherwise", async () => {
    const etag = (await fetchBytes(service, url)).headers.get("ETag") ?? "";
    const statuses = [];
    for (const ifRange of [etag, `W/${etag}`, '"another"'])
      statuses.push((await fetchRange("bytes=100-", { "If-Range": ifRange })).status);
    expect(statuses).toEqual([206, 200, 200]);
  });

  test("HEAD gets the same headers as GET, without the body", async () => {
    const [head, get] = [await fetchBytes(service, url, { method: "HEAD" }), await fetchBytes(service, url)];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ["Content-Type", "Content-Length", "Accept-Ranges", "ETag"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  });
});

describe("the seven days of audio", () => {
  test.each([
    ["the service's", {}],
    ["the provider's", { storable: false }],
  ])("end to the millisecond, and permanently, at %s address", async (_, outcome) => {
    const service = createService();
    const [{ audio_url: url }] = await clipsOf(service, VALID.upload, outcome);
    await service.advance(SEVEN_DAYS - 1);
    expect((await fetchBytes(service, url)).status).toBe(200);
    await service.advance(1);
    for (let week = 0; week < 3; week++) {
      const { status, headers } = await fetchBytes(service, url);
      expect([status, headers.get("Content-Type")]).toEqual([404, "application/json"]);
      await service.advance(SEVEN_DAYS);
    }
  });

  test("begin when the provider finished, and not at the first read", async () => {
    const service = createService();
    const { create, read, advance } = service;
    const taskId = await create(VALID.upload, { process_seconds: 30 });
    await advance(1_830_000);
    const [{ audio_url: url }] = (await read(taskId)).output.result;
    await advance(SEVEN_DAYS - 1_800_001);
    expect((await fetchBytes(service, url)).status).toBe(200);
    await advance(1);
    expect((await fetchBytes(service, url)).status).toBe(404);
  });

  test("do not apply to cover art", async () => {
    const service = createService();
    const [{ image_url: small, image_large_url: large }] = await clipsOf(service);
    const before = await fetchBytes(service, small);
    await service.advance(10 * SEVEN_DAYS);
    expect((await fetchBytes(service, small)).bytes.equals(before.bytes)).toBe(true);
    const { status, headers } = await fetchBytes(service, large);
    expect([status, headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
  });
});

describe("alternate URLs", () => {
  const alternates = ["https://provider-a.test/a.wav", "https://cdn.example.com/a.wav"];

  test("are unchanged for audio that the service did not store, which the provider serves", async () => {
    const service = createService();
    const [clip] = await clipsOf(service, mp3Of(VALID.song), { storable: false, alternate_urls: alternates });
    expect(new URL(clip.audio_url).origin).toBe(new URL(clip.image_url).origin);
    expect(clip.alternate_urls).toEqual(alternates);
    const { status, headers } = await fetchBytes(service, clip.audio_url);
    expect([status, headers.get("Content-Type")]).toEqual([200, "audio/wav"]);
    expect((await fetchBytes(service, `${service.emulator.url}/audio/${clip.id}`)).status).toBe(404);
  });

  test.each([
    [alternates, ["https://cdn.example.com/a.wav"]],
    [["https://provider-b.test/x"], undefined],
    [[], undefined],
  ])("of stored audio lose those at a provider: %j", async (given, left) => {
    const [clip] = await clipsOf(createService(), VALID.song, { alternate_urls: given });
    expect("alternate_urls" in clip).toBe(left !== undefined);
    expect(clip.alternate_urls).toEqual(left);
  });
});

test("audio needs no API key, and does not count against the rate limit", async () => {
  const service = createService({ limits: { requests: 3 } });
  const [{ audio_url: url }] = await clipsOf(service, VALID.upload);
  for (let time = 0; time < 3; time++) {
    const { status, headers } = await fetchBytes(service, url, {
      headers: { "x-api-key": service.emulator.apiKey },
    });
    expect([status, headers.has("X-RateLimit-Remaining")]).toEqual([200, false]);
  }
  expect((await service.get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("0");
});

test.each([
  "https://api.async-music.test/audio/none",
  "https://provider-a.test/provider_a/art/none/small",
  "https://provider-a.test/provider_c/audio/none",
])("%s is a 404", async (url) => {
  expect((await fetchBytes(createService(), url)).status).toBe(404);
});

test("a request to another origin is rejected", async () => {
  const { emulator } = createService();
  const reason = `https://example.com is not an address of this emulator. Use ${emulator.url}.`;
  await expect(emulator.fetch("https://example.com/")).rejects.toThrow(
    new TypeError("fetch failed", { cause: new Error(reason) }),
  );
});

test("after a reset, a clip with the same id has the audio of its new task, and an ETag of its own", async () => {
  const service = createService();
  const [before] = await clipsOf(service, { ...VALID.song, input: { gpt_description_prompt: "rain" } });
  const old = await fetchBytes(service, before.audio_url);
  service.emulator.reset();
  const [after] = await clipsOf(service, { ...VALID.song, input: { gpt_description_prompt: "hard techno" } });
  expect(after.id).toBe(before.id);
  const etag = old.headers.get("ETag") ?? "";
  const headers = { Range: "bytes=100-", "If-Range": etag };
  // A download that was interrupted by the reset must not continue with another song.
  const resumed = await fetchBytes(service, after.audio_url, { headers });
  expect([resumed.status, resumed.headers.get("ETag") === etag]).toEqual([200, false]);
  expect(resumed.bytes.equals(old.bytes)).toBe(false);
});

test("what a reader does with the bytes changes no later download", async () => {
  const service = createService();
  const [{ audio_url: url, image_url: image }] = await clipsOf(service);
  for (const address of [url, image]) {
    const read = async () => (await service.emulator.fetch(address)).body?.getReader().read();
    const first = await read();
    const original = Buffer.from(first?.value ?? []).toString("hex");
    expect(original).not.toBe("");
    first?.value?.fill(0);
    structuredClone(first?.value, { transfer: [first?.value?.buffer ?? new ArrayBuffer()] });
    expect(Buffer.from((await read())?.value ?? []).toString("hex") === original).toBe(true);
  }
});
