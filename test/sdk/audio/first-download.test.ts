import { AsyncMusic, AudioDownloadError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { afterEach, describe, expect, test } from "vitest";
import { holdCode, idle, loseCode, restoreCode } from "../../support/held-code.js";
import { reasonOf, rejection } from "../../support/rejection.js";
import { SONG_REQUEST } from "../../support/responses.js";
import { clientOf, createWorld } from "../../support/world.js";
import { AUDIO_URL, download, mp3 } from "./support.js";

// The first download loads its code. Meanwhile other code runs, and may abort the download.

const CODE = "src/audio/download.js";
const DAY = 24 * 3_600_000;

afterEach(() => restoreCode(CODE));

async function songOfEmulator() {
  const emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const [clip] = (await client.tasks.run(SONG_REQUEST)).output.result;
  if (clip === undefined) throw new Error("Invariant: a song has a clip.");
  return { emulator, client, clip };
}

describe("while the code of the first download loads", () => {
  test("virtual time stands still", async () => {
    const { emulator, client, clip } = await songOfEmulator();
    const { release } = holdCode(CODE);
    const begunAt = emulator.clock.now();
    const sleep = emulator.clock.sleep(60_000);
    const download = client.audio.download(clip);
    await idle();
    expect(emulator.clock.now()).toBe(begunAt);
    release();
    expect((await download).extension).toBe("wav");
    await sleep;
    expect(emulator.clock.now()).toBe(begunAt + 60_000);
  });

  test("virtual time is not advanced past the end of the audio", async () => {
    const { emulator, client, clip } = await songOfEmulator();
    const { release } = holdCode(CODE);
    const download = client.audio.download(clip);
    const advance = emulator.clock.advance(8 * DAY);
    await idle();
    release();
    expect((await download).extension).toBe("wav");
    await advance;
  });

  test("other calls of the client continue", async () => {
    const { client, clip } = await songOfEmulator();
    const { release } = holdCode(CODE);
    const download = client.audio.download(clip);
    await client.tasks.create(SONG_REQUEST);
    release();
    await download;
  });

  test("an abort rejects at once with its reason, and nothing is sent", async () => {
    const { client, requests } = createWorld(() => mp3());
    const { release } = holdCode(CODE);
    const controller = new AbortController();
    const download = client.audio.download(AUDIO_URL, { signal: controller.signal });
    const reason = new Error("The user left the page.");
    controller.abort(reason);
    expect(await reasonOf(download)).toBe(reason);
    release();
    await idle();
    expect(requests).toEqual([]);
  });

  test("`timeoutMs` limits the load", async () => {
    const { release } = holdCode(CODE);
    await rejection(
      download(() => mp3(), { timeoutMs: 1 }),
      AudioDownloadError,
    );
    release();
  });
});

test("a load that fails is an AudioDownloadError, and the next download loads again", async () => {
  loseCode(CODE);
  const client = clientOf(async () => mp3());
  const error = await rejection(client.audio.download(AUDIO_URL), AudioDownloadError);
  expect(error).toMatchObject({ url: AUDIO_URL, status: null });
  expect(error.cause).toBeInstanceOf(Error);
  restoreCode(CODE);
  expect((await client.audio.download(AUDIO_URL)).extension).toBe("mp3");
});
