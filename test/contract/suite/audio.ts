import { expect } from "vitest";
import { AudioDownloadError, AudioExpiredError, type Clip } from "../../../src/index.js";
import { failWith } from "../../support/faults.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { DAY, type Open, PROVIDER_B_SONG, SONG, type World } from "../world.js";

const AUDIO = "/audio/*";

/** Rendering a song takes real time: each of these tests checks several facts with one song. */
export function describeAudio(open: Open, { describe, it }: Kit): void {
  describe("audio", () => {
    it("of provider_a is WAV, and is downloaded despite faults, without the API key and outside the rate limit", async () => {
      const world = await open({ limits: { requests: 50 } });
      const { client, sent } = recordingClient(world);
      const clip = songOf(await client.tasks.run(SONG));
      const left = await remaining(client);
      sent.length = 0;
      world.emulator.faults.add({ path: AUDIO, fault: failWith(503) });
      world.emulator.faults.add({ path: AUDIO, fault: { kind: "disconnect", when: "before" } });

      const download = await client.audio.download(clip);
      expect(download).toMatchObject({ contentType: "audio/wav", extension: "wav" });
      const bytes = new Uint8Array(await download.arrayBuffer());
      expect(bytes.byteLength).toBe(download.size);
      expect(textAt(bytes, 0, 4) + textAt(bytes, 8, 4)).toBe("RIFFWAVE");

      expect(sent.map(({ url }) => url)).toEqual(Array(3).fill(clip.audio_url));
      for (const { headers } of sent) {
        expect([headers.get("x-api-key"), headers.get("X-Request-Id")]).toEqual([null, null]);
      }
      expect(await remaining(client)).toBe(left - 1);
      expect(world.emulator.audit()).toEqual([]);
    });

    it("of provider_b is MP3, supports ranges, and expires after seven days, unlike its cover art", async () => {
      const world = await open();
      const song = await world.client.tasks.run(PROVIDER_B_SONG);
      const clip = songOf(song);
      const download = await world.client.audio.download(clip);
      expect(download).toMatchObject({ contentType: "audio/mpeg", extension: "mp3" });

      const bytes = new Uint8Array(await download.arrayBuffer());
      expect(bytes.byteLength).toBe(download.size);
      expect(isMp3(bytes)).toBe(true);

      await expectParts(world, clip.audio_url, bytes);
      await expectExpiry(world, clip, Date.parse(song.completed_at ?? "") + 7 * DAY);
    });

    it("is MP3 where the request says so, whatever the provider's format", async () => {
      const { client } = await open();
      const song = await client.tasks.run({ ...SONG, audio_format: "mp3" });
      const download = await client.audio.download(songOf(song));
      expect(download).toMatchObject({ contentType: "audio/mpeg", extension: "mp3" });
      expect(isMp3(new Uint8Array(await download.arrayBuffer()))).toBe(true);
    });

    it("that is cut off once is resumed, and is complete", async () => {
      const { client, emulator } = await open();
      const clip = songOf(await client.tasks.run(SONG));
      const bytes = async () => new Uint8Array(await (await client.audio.download(clip)).arrayBuffer());
      const whole = await bytes();
      emulator.faults.add({ path: AUDIO, fault: { kind: "malformed" } });
      const resumed = await bytes();
      expect(resumed.byteLength).toBe(whole.byteLength);
      expect(resumed.every((byte, index) => byte === whole[index])).toBe(true);
    });

    it("that is cut off on every attempt is an error, and never a shorter song", async () => {
      const { client, emulator } = await open();
      const clip = songOf(await client.tasks.run(SONG));
      emulator.faults.add({ path: AUDIO, times: 3, fault: { kind: "malformed" } });
      const bytes = async () => (await client.audio.download(clip)).arrayBuffer();
      expect(await rejection(bytes(), AudioDownloadError)).toMatchObject({ url: clip.audio_url });
    });

    it("that cannot be downloaded fails with the status, or as expired after a 404", async () => {
      const { client, emulator } = await open();
      const clip = songOf(await client.tasks.run(SONG));
      emulator.faults.add({ path: AUDIO, times: 3, fault: failWith(503) });
      expect(await rejection(client.audio.download(clip), AudioDownloadError)).toMatchObject({ status: 503 });
      emulator.faults.add({ path: AUDIO, fault: failWith(403) });
      expect(await rejection(client.audio.download(clip), AudioDownloadError)).toMatchObject({ status: 403 });
      const url = clip.audio_url.replace(clip.id, "no-such-clip");
      expect(await rejection(client.audio.download(url), AudioExpiredError)).toMatchObject({ url });
    });
  });
}

async function expectParts({ fetch }: World, url: string, bytes: Uint8Array): Promise<void> {
  const part = await fetch(url, { headers: { Range: "bytes=100-199" } });
  expect(part.status).toBe(206);
  expect(part.headers.get("Content-Range")).toBe(`bytes 100-199/${bytes.byteLength}`);
  expect(await bytesOf(part)).toEqual(bytes.slice(100, 200));

  const end = await fetch(url, { headers: { Range: "bytes=-50" } });
  expect(end.status).toBe(206);
  expect(await bytesOf(end)).toEqual(bytes.slice(-50));

  const beyond = await fetch(url, { headers: { Range: `bytes=${bytes.byteLength}-` } });
  expect(beyond.status).toBe(416);
  expect(beyond.headers.get("Content-Range")).toBe(`bytes */${bytes.byteLength}`);

  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, head.headers.get("Content-Type")]).toEqual([200, "audio/mpeg"]);
  expect(Number(head.headers.get("Content-Length"))).toBe(bytes.byteLength);
}

/** The audio is served until it expires, and never after; the cover art is. */
async function expectExpiry(
  { client, emulator, fetch }: World,
  clip: Clip,
  expiresAt: number,
): Promise<void> {
  await emulator.clock.advance(expiresAt - 1 - emulator.clock.now());
  expect((await fetch(clip.audio_url, { method: "HEAD" })).status).toBe(200);
  await emulator.clock.advance(2);
  expect(await rejection(client.audio.download(clip), AudioExpiredError)).toMatchObject({
    url: clip.audio_url,
  });
  await emulator.clock.advance(30 * DAY);
  await rejection(client.audio.download(clip.audio_url), AudioExpiredError);

  for (const url of [clip.image_url, clip.image_large_url]) {
    const picture = await fetch(url ?? "");
    expect(picture.status).toBe(200);
    expect(picture.headers.get("Content-Type")).toMatch(/^image\//);
    expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(0);
  }
}

function recordingClient({ connect, fetch }: World) {
  const sent: Request[] = [];
  const client = connect({
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(request);
      return fetch(request);
    },
  });
  return { client, sent };
}

function songOf({ output }: { output: { result: Clip[] } }): Clip {
  const [clip] = output.result;
  if (clip === undefined) throw new Error("Expected a clip");
  return clip;
}

async function remaining(client: World["client"]): Promise<number> {
  const { rateLimit } = await client.account.usage().withResponse();
  return rateLimit.remaining ?? Number.NaN;
}

function isMp3(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return textAt(bytes, 0, 3) === "ID3" || (first === 0xff && (second & 0xe0) === 0xe0);
}

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}
