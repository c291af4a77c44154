import { beforeAll, describe, expect, test } from "vitest";
import { clipsOf, createService, fetchBytes, VALID } from "./support/service.js";

const SEVEN_DAYS = 7 * 24 * 3600 * 1000;

const isWav = (bytes: Buffer) => bytes.subarray(0, 4).toString() === "RIFF";
const isMp3 = (bytes: Buffer) => bytes[0] === 0xff && (bytes[1] ?? 0) >= 0xe0;

describe("formats", () => {
  test.each([
    ["provider_a's own file is WAV", VALID.song, {}, {}, "audio/wav"],
    ["provider_b's own file is MP3", VALID.providerB, {}, {}, "audio/mpeg"],
    ["asked for MP3, WAV is converted", { ...VALID.song, audio_format: "mp3" }, {}, {}, "audio/mpeg"],
    ["asked for MP3, MP3 passes through", { ...VALID.providerB, audio_format: "mp3" }, {}, {}, "audio/mpeg"],
    ["a provider may switch its format", VALID.song, { format: "mp3" }, {}, "audio/mpeg"],
    ["the other one may, too", VALID.providerB, { format: "wav" }, {}, "audio/wav"],
    [
      "where conversion fails, the source is delivered",
      { ...VALID.song, audio_format: "mp3" },
      {},
      { audio_conversion: "failing" },
      "audio/wav",
    ],
    ["an upload is converted, too", { ...VALID.upload, audio_format: "mp3" }, {}, {}, "audio/mpeg"],
  ] as const)("%s", async (_, body, outcome, policy, contentType) => {
    const service = createService({ policy });
    const task = await service.read(await service.create(body, { polls: 1, ...outcome }));
    expect(task.audio_format).toBe("audio_format" in body ? body.audio_format : null);
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
  ])(
    "the provider's own %s is delivered without a byte changed for a request with %j",
    async (format, asked) => {
      const service = createService();
      const [clip] = await clipsOf(service, { ...VALID.song, ...asked }, { format, clips: 1 });
      const own = `https://provider-a.test/provider_a/audio/${clip.id}`;
      const [delivered, source] = [await fetchBytes(service, clip.audio_url), await fetchBytes(service, own)];
      expect([delivered.status, source.status, delivered.bytes.equals(source.bytes)]).toEqual([
        200,
        200,
        true,
      ]);
      expect(delivered.headers.get("Content-Type")).toBe(source.headers.get("Content-Type"));
    },
  );

  test("with conversion switched off, asking for it is refused, and not asking yields the provider's file", async () => {
    const service = createService({
      policy: { audio_conversion: "off", audio_format_unavailable_status: 422 },
    });
    const { status, body } = await service.post({ ...VALID.song, audio_format: "mp3" });
    expect([status, body.code, body.error_code]).toEqual([422, 422, "audio_format_unavailable"]);
    const [clip] = await clipsOf(service);
    expect((await fetchBytes(service, clip.audio_url)).headers.get("Content-Type")).toBe("audio/wav");
  });

  test("a song lasts as long as its metadata says", async () => {
    const service = createService();
    const [clip] = await clipsOf(service);
    const { bytes } = await fetchBytes(service, clip.audio_url);
    const bytesPerSecond = bytes.readUInt32LE(28);
    expect((bytes.length - 44) / bytesPerSecond).toBeCloseTo(clip.metadata.duration, 0);
  });

  test("a joined clip is the source up to where it was continued, and then the continuation", async () => {
    const service = createService();
    const [source] = await clipsOf(service);
    const continuation = { ...VALID.song, input: { continue_clip_id: source.id, continue_at: 10 } };
    const [continued] = await clipsOf(service, continuation, { clips: 1 });
    const [joined] = await clipsOf(service, { ...VALID.concat, input: { clip_id: continued.id } });
    const lengthOf = async (url: string) => (await fetchBytes(service, url)).bytes.length;
    const [part, whole] = [await lengthOf(continued.audio_url), await lengthOf(joined.audio_url)];
    const seconds = (whole - part) / (16_000 * 2);
    expect(seconds).toBeGreaterThan(9);
    expect(seconds).toBeLessThanOrEqual(10);
  });
});

describe("parts of a file", () => {
  // A song takes most of what a test takes: one is enough for all that is asked of it.
  const service = createService();
  let url: string;
  beforeAll(async () => {
    [{ audio_url: url }] = await clipsOf(service, VALID.upload);
  });

  test("are a 206 with that part, and say where it stands", async () => {
    const whole = await fetchBytes(service, url);
    expect(whole.headers.get("Accept-Ranges")).toBe("bytes");
    expect(whole.headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    for (const [range, start, end] of [
      ["bytes=0-9", 0, 10],
      ["bytes=100-", 100, undefined],
      ["bytes=-20", -20, undefined],
      ["bytes=10-99999999999", 10, undefined],
      ["bytes=-99999999999", 0, undefined],
    ] as const) {
      const part = await fetchBytes(service, url, { headers: { Range: range } });
      const expected = whole.bytes.subarray(start, end);
      const first = start < 0 ? whole.bytes.length + start : start;
      const last = first + expected.length - 1;
      expect([range, part.status, part.bytes.equals(expected)]).toEqual([range, 206, true]);
      expect(part.headers.get("Content-Length")).toBe(String(expected.length));
      expect(part.headers.get("Content-Range")).toBe(`bytes ${first}-${last}/${whole.bytes.length}`);
    }
  });

  test("that there are not are a 416 that says how long the file is", async () => {
    const { bytes } = await fetchBytes(service, url);
    for (const range of ["bytes=99999999999-", `bytes=${bytes.length}-`, "bytes=-0"]) {
      const { status, headers } = await fetchBytes(service, url, { headers: { Range: range } });
      expect([range, status, headers.get("Content-Range")]).toEqual([range, 416, `bytes */${bytes.length}`]);
    }
  });

  test("that make no sense, or are several, are ignored", async () => {
    for (const range of ["bytes=5-2", "bytes=a-b", "items=0-5", "bytes=0-1,4-5", "bytes=-", ""]) {
      const { status } = await fetchBytes(service, url, { headers: { Range: range } });
      expect([range, status]).toEqual([range, 200]);
    }
  });

  test("are given only of the version that an If-Range names: of any other it is the whole", async () => {
    const etag = (await fetchBytes(service, url)).headers.get("ETag") ?? "";
    for (const [ifRange, expected] of [
      [etag, 206],
      [`W/${etag}`, 200],
      ['"another"', 200],
    ] as const) {
      const headers = { Range: "bytes=100-", "If-Range": ifRange };
      expect([ifRange, (await fetchBytes(service, url, { headers })).status]).toEqual([ifRange, expected]);
    }
  });

  test("HEAD answers what GET would, without the body", async () => {
    const [head, get] = [await fetchBytes(service, url, { method: "HEAD" }), await fetchBytes(service, url)];
    expect(head.bytes.length).toBe(0);
    expect(head.status).toBe(200);
    for (const name of ["Content-Type", "Content-Length", "Accept-Ranges", "ETag"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });
});

describe("the seven days", () => {
  test("end to the millisecond, and for ever", async () => {
    const service = createService();
    const { emulator } = service;
    const [{ audio_url: url }] = await clipsOf(service, VALID.upload);
    await emulator.clock.advance(SEVEN_DAYS - 1);
    expect((await fetchBytes(service, url)).status).toBe(200);
    await emulator.clock.advance(1);
    for (let day = 0; day < 3; day++) {
      const { status, headers } = await fetchBytes(service, url);
      expect([status, headers.get("Content-Type")]).toEqual([404, "application/json"]);
      await emulator.clock.advance(SEVEN_DAYS);
    }
  });

  test("end where the audio is at the provider's, too", async () => {
    const service = createService();
    const [{ audio_url: url }] = await clipsOf(service, VALID.upload, { storable: false });
    await service.emulator.clock.advance(SEVEN_DAYS - 1);
    expect((await fetchBytes(service, url)).status).toBe(200);
    await service.emulator.clock.advance(1);
    expect((await fetchBytes(service, url)).status).toBe(404);
  });

  test("begin when the provider finished, and not when somebody looked", async () => {
    const service = createService();
    const { create, read, emulator } = service;
    const taskId = await create(VALID.upload, { process_seconds: 30 });
    await emulator.clock.advance(1_830_000);
    const { output } = await read(taskId);
    await emulator.clock.advance(SEVEN_DAYS - 1_800_001);
    expect((await fetchBytes(service, output.result[0].audio_url)).status).toBe(200);
    await emulator.clock.advance(1);
    expect((await fetchBytes(service, output.result[0].audio_url)).status).toBe(404);
  });

  test("do not end cover art", async () => {
    const service = createService();
    const [{ image_url: small, image_large_url: large }] = await clipsOf(service);
    const before = await fetchBytes(service, small);
    await service.emulator.clock.advance(10 * SEVEN_DAYS);
    expect((await fetchBytes(service, small)).bytes.equals(before.bytes)).toBe(true);
    const { status, headers } = await fetchBytes(service, large);
    expect([status, headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
  });
});

describe("what the service could not store", () => {
  const alternates = ["https://provider-a.test/a.wav", "https://cdn.example.com/a.wav", "no url"];

  test("is served by the provider, with its alternate URLs unchanged", async () => {
    const service = createService();
    const [clip] = await clipsOf(service, VALID.song, { storable: false, alternate_urls: alternates });
    expect(new URL(clip.audio_url).origin).toBe(new URL(clip.image_url).origin);
    expect(clip.alternate_urls).toEqual(alternates);
    const { status, headers } = await fetchBytes(service, clip.audio_url);
    expect([status, headers.get("Content-Type")]).toEqual([200, "audio/wav"]);
    const own = await fetchBytes(service, `${service.emulator.url}/audio/${clip.id}`);
    expect(own.status).toBe(404);
  });

  test("is in the provider's own format, whatever was asked for", async () => {
    const service = createService();
    const [clip] = await clipsOf(service, { ...VALID.song, audio_format: "mp3" }, { storable: false });
    expect((await fetchBytes(service, clip.audio_url)).headers.get("Content-Type")).toBe("audio/wav");
  });

  test("is different from what it stored: there, URLs at a provider are removed", async () => {
    const service = createService();
    const [clip] = await clipsOf(service, VALID.song, { alternate_urls: alternates });
    expect(clip.alternate_urls).toEqual(["https://cdn.example.com/a.wav", "no url"]);
    const [cleaned] = await clipsOf(service, VALID.song, { alternate_urls: ["https://provider-b.test/x"] });
    expect(cleaned).not.toHaveProperty("alternate_urls");
    const [none] = await clipsOf(service, VALID.song, { alternate_urls: [] });
    expect(none).not.toHaveProperty("alternate_urls");
  });
});

test("audio needs no key, and does not count against the limit of one that is sent", async () => {
  const service = createService({ limits: { requests: 3 } });
  const [{ audio_url: url }] = await clipsOf(service, VALID.upload);
  for (let time = 0; time < 3; time++) {
    const { status, headers } = await fetchBytes(service, url, {
      headers: { "x-api-key": service.emulator.apiKey },
    });
    expect([status, headers.has("X-RateLimit-Remaining")]).toEqual([200, false]);
  }
  expect((await service.get("/api/v1/account/balance")).headers.get("X-RateLimit-Remaining")).toBe("0");
});

test.each([
  "https://api.async-music.test/audio/none",
  "https://provider-a.test/provider_a/art/none/small",
  "https://provider-a.test/provider_c/audio/none",
])("there is nothing at %s", async (url) => {
  expect((await fetchBytes(createService(), url)).status).toBe(404);
});

test("an address that is none of the emulator's can't be reached", async () => {
  const { emulator } = createService();
  await expect(emulator.fetch("https://example.com/")).rejects.toThrow(TypeError);
});

test("after a reset a clip of the same id sounds like its new task, and not like the old one", async () => {
  const service = createService();
  const [before] = await clipsOf(service, { ...VALID.song, input: { gpt_description_prompt: "rain" } });
  const old = await fetchBytes(service, before.audio_url);
  service.emulator.reset();
  const [after] = await clipsOf(service, { ...VALID.song, input: { gpt_description_prompt: "hard techno" } });
  expect(after.id).toBe(before.id);
  const { bytes } = await fetchBytes(service, after.audio_url);
  expect(bytes.equals(old.bytes)).toBe(false);
});
