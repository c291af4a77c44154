import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { describe, expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { BALANCE, clipsOf, createControlled, serviceOf, VALID } from "./support/service.js";

describe("an emulator with another `url`", () => {
  const URL_WITH_PATH = "https://api.example.com/music";
  const open = () => createControlled({ credits: 100, url: `${URL_WITH_PATH}/` });

  test("runs a song for a client with a hard-coded base URL, and serves its audio and cover art", async () => {
    const { emulator } = open();
    const { apiKey, fetch, clock } = emulator.connection();
    const client = new AsyncMusic({ baseUrl: URL_WITH_PATH, apiKey, fetch, clock });
    const [clip] = (await client.tasks.run(VALID.song)).output.result;
    if (clip === undefined) throw new Error("Expected a clip");
    expect(clip.audio_url).toBe(`${URL_WITH_PATH}/audio/${clip.id}`);
    expect((await client.audio.download(clip)).contentType).toMatch(/^audio\//);
    expect(clip.image_url).toMatch(/^https:\/\/provider-a\.test\//);
    expect((await emulator.fetch(String(clip.image_url))).status).toBe(200);
  });

  test("shows this address in `connection()`, tasks, the overview, its page and its OpenAPI document", async () => {
    const { emulator, create, read, control, send, get } = open();
    expect([emulator.url, emulator.connection().baseUrl]).toEqual([URL_WITH_PATH, URL_WITH_PATH]);
    const taskId = await create(VALID.song, { polls: 1 });
    const [clip] = (await read(taskId)).output.result;
    const seen = [(await emulator.when(taskId, "success")).output, emulator.state().tasks[0]?.output];
    expect(JSON.stringify(seen).split(clip.audio_url)).toHaveLength(3);
    expect((await control("GET", "/overview")).body.service).toBe(URL_WITH_PATH);
    expect((await send("/")).body).toContain(`ASYNC_MUSIC_BASE_URL=${URL_WITH_PATH}`);
    const [server] = (await get("/openapi.json")).body.servers;
    expect(new URL(server.url, `${URL_WITH_PATH}/openapi.json`).href).toBe(URL_WITH_PATH);
  });

  test("logs paths, and applies faults, without the path of its `url`", async () => {
    const { emulator, get, fault } = open();
    fault(failWith(503), { path: BALANCE });
    expect((await get(BALANCE)).status).toBe(503);
    expect(emulator.requests.map(({ path }) => path)).toEqual([BALANCE]);
  });

  test("rejects requests outside its path, and at the default address", async () => {
    const { fetch } = open().emulator;
    for (const url of [
      "https://api.example.com/",
      "https://api.example.com/musical/api/v1/account/balance",
      "https://api.example.com:8443/music/api/v1/account/balance",
      "https://api.async-music.test/api/v1/account/balance",
    ]) {
      await expect(fetch(url)).rejects.toThrow(TypeError);
    }
    expect((await fetch(URL_WITH_PATH)).status).toBe(200);
  });

  test("keeps the `url` after a reset and in a fork", () => {
    const { emulator } = open();
    emulator.reset();
    expect([emulator.url, emulator.fork().url]).toEqual([URL_WITH_PATH, URL_WITH_PATH]);
  });

  test("has the server's address when it is served on a port", async () => {
    const { emulator } = open();
    await using server = await serve(emulator);
    const [clip] = await clipsOf(serviceOf(emulator, { fetch: globalThis.fetch, url: server.url }));
    expect(clip.audio_url).toBe(`${server.url}/audio/${clip.id}`);
  });
});

test.each([
  ["api.example.com", "`url` must be an http or https address; got `api.example.com`."],
  ["ftp://api.example.com", "`url` must be an http or https address"],
  ["https://api.example.com/api/v1", "`url` must end before /api/v1"],
  ["https://api.example.com/api/v1/", "`url` must end before /api/v1"],
  ["https://api.example.com/?key=1", "`url` must have no query"],
  ["https://api.example.com/a(b)", "`url` must have no query, no fragment, and in its path only"],
  ["https://provider-a.test", "`url` must differ from the providers' addresses"],
])("the `url` %s is refused with the reason", (url, message) => {
  expect(() => createEmulator({ url })).toThrow(message);
});

test("a `url` with a password is refused, and the message does not show it", () => {
  expect(() => createEmulator({ url: "https://me:hunter2@api.example.com" })).toThrow(
    /^`url` must have no user name and no password\.$/,
  );
});
