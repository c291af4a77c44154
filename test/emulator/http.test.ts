import { getEventListeners } from "node:events";
import { AsyncMusic, InvalidRequestError } from "async-music";
import { expect, test, vi } from "vitest";
import { collectGarbage } from "../support/collect-garbage.js";
import { BALANCE, clipsOf, createService, postOf, TASK, VALID } from "./support/service.js";

test("a body that is too large is not read to its end", async () => {
  const service = createService();
  const cancel = vi.fn();
  let pieces = 0;
  const body = new ReadableStream({
    pull(controller) {
      pieces++;
      controller.enqueue(new Uint8Array(2 ** 20));
    },
    cancel,
  });
  const init = { ...postOf(service, null, { body }), duplex: "half" } as RequestInit;
  expect((await service.send(TASK, init)).status).toBe(400);
  expect(cancel).toHaveBeenCalledOnce();
  expect(pieces).toBeLessThan(6);
});

test("a body with a hundred nested levels and many brackets is accepted and echoed", async () => {
  const { create, read } = createService();
  let deep: unknown = 1;
  for (let depth = 0; depth < 100; depth++) deep = { a: [deep] };
  const input = { tags: "fado", deep };
  const wide = Array.from({ length: 5_000 }, () => []);
  expect((await read(await create({ ...VALID.custom, input, wide }))).input).toEqual(input);
});

test("what the SDK sends in its deepest nesting is accepted, read, and restored from a snapshot", async () => {
  const { emulator, send } = createService();
  const client = new AsyncMusic(emulator.connection());
  // The request, its input and 998 lists.
  const title = JSON.parse("[".repeat(998) + "]".repeat(998));
  const request = { model: "provider_a", task_type: "music", input: { tags: "fado", title } } as const;
  expect((await client.tasks.run(request)).input).toEqual(request.input);
  const snapshot = emulator.snapshot();
  const headers = { "Content-Type": "application/json" };
  const restored = await send("/_emulator/snapshot", {
    method: "PUT",
    headers,
    body: JSON.stringify(snapshot),
  });
  expect(restored.status).toBeLessThan(300);
  expect(emulator.snapshot()).toEqual(snapshot);
  const deeper = { ...request, input: { tags: "fado", title: [title] } };
  await expect(client.tasks.create(deeper)).rejects.toThrow(InvalidRequestError);
});

test("the input is echoed unchanged, whatever its field names", async () => {
  const { create, read } = createService();
  const text = '{"tags":"fado","title":7,"__proto__":{"a":1},"constructor":"x","ü":"\\u2028"}';
  const task = await read(await create(`{"model":"provider_a","task_type":"music","input":${text}}`));
  expect(JSON.stringify(task.input)).toBe(JSON.stringify(JSON.parse(text)));
});

test("the service's address serves a page to GET and HEAD", async () => {
  const { send, emulator } = createService();
  const page = await send("/");
  expect(page.status).toBe(200);
  expect(page.headers.get("Content-Type")).toMatch(/^text\//);
  expect(page.body).toContain(emulator.url);
  const head = await send("/", { method: "HEAD" });
  expect([head.status, head.body]).toEqual([200, ""]);
  expect(head.headers.get("Content-Length")).toBe(String(page.body.length));
});

test.each(["service", "control plane"])("an unknown path of the %s is a 404 with a link", async (part) => {
  const { send } = createService();
  const above = part === "service" ? "" : "/_emulator";
  const { body } = await send(`${above}/api/v1/balance`);
  const [, described = ""] = /\. (\S+) lists all paths\.$/.exec(body.message) ?? [];
  const { status, body: description } = await send(described);
  expect([status, described]).toEqual([200, `${above}/openapi.json`]);
  expect(Object.keys(description.paths).length).toBeGreaterThan(3);
});

test("an unknown path of a provider is a 404 without such a list", async () => {
  const { send } = createService();
  const { status, body } = await send("https://provider-a.test/nothing");
  expect([status, body.error_code]).toEqual([404, "not_found"]);
  expect(body.message).not.toContain("openapi");
});

test("the query is not part of the path", async () => {
  const { get } = createService();
  expect((await get(`${BALANCE}?x=/y`)).status).toBe(200);
});

test("every response has the caller's request ID, its length and the header X-Emulator", async () => {
  const { emulator, send, get, post } = createService({ limits: { requests: 4 } });
  const id = { "X-Request-Id": "mine.1" };
  const wrongKey = { ...id, "x-api-key": "emu_unknown" };
  const replies = [
    await send(BALANCE, { headers: id }),
    await send(BALANCE, { headers: wrongKey }),
    await send(TASK, { method: "POST", headers: wrongKey }),
    await post("{", id),
    await get(`${TASK}/none`, id),
    await get("/nowhere", id),
    await post(VALID.song, id),
    await get(BALANCE, id),
    await send(TASK, { method: "PUT", headers: id }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 400, 404, 404, 202, 429, 405]);
  for (const { headers, body } of replies) {
    expect(headers.get("X-Request-Id")).toBe("mine.1");
    expect(headers.get("X-Emulator")).toBe("async-music");
    expect(headers.get("Content-Length")).toBe(String(JSON.stringify(body).length));
    expect(headers.get("Content-Type")).toBe("application/json");
  }
  expect(emulator.requests.map(({ request_id }) => request_id)).toEqual(replies.map(() => "mine.1"));
});

test("a reset rejects requests and downloads in flight, and they leave no trace", async () => {
  const service = createService();
  const { emulator, post, send } = service;
  // No other test of this process renders this song: the files of all emulators are kept.
  const song = { ...VALID.song, input: { gpt_description_prompt: "a song that ends at a reset" } };
  const [source] = await clipsOf(service, song, { clips: 1 });
  const continuation = { ...VALID.song, input: { continue_clip_id: source.id, continue_at: 10 } };
  const [continued] = await clipsOf(service, continuation, { clips: 1 });
  const [joined] = await clipsOf(service, { ...VALID.concat, input: { clip_id: continued.id } });
  // A joined song is made by turns of the event loop, one for each of its parts: after one turn it is never whole.
  const download = expect(send(joined.audio_url)).rejects.toThrow(TypeError);
  await new Promise(setImmediate);
  const ended = Promise.all([download, expect(post(VALID.song)).rejects.toThrow(TypeError)]);
  emulator.reset();
  await ended;
  expect(emulator.requests).toEqual([]);
  expect(emulator.state().tasks).toEqual([]);
});

test("an abort during a download rejects it with the reason, also after a garbage collection", async () => {
  const service = createService();
  const { emulator } = service;
  const [clip] = await clipsOf(service);
  const [leaving, staying] = [new AbortController(), new AbortController()];
  const file = await emulator.fetch(clip.audio_url, { signal: leaving.signal });
  const whole = await emulator.fetch(clip.audio_url, { signal: staying.signal });
  await collectGarbage();
  leaving.abort(new Error("heard enough"));
  await expect(file.arrayBuffer()).rejects.toThrow("heard enough");
  const { byteLength } = await whole.arrayBuffer();
  expect(String(byteLength)).toBe(whole.headers.get("Content-Length"));
  // The platform's `Request` listens to the signal until then.
  staying.abort();
});

test("an unread download leaves no listener on its signal", async () => {
  const service = createService();
  const { emulator } = service;
  const [clip] = await clipsOf(service);
  const { signal } = new AbortController();
  const file = await emulator.fetch(new Request(clip.audio_url), { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await file.arrayBuffer();
});

test("a reset while a request is logged leaves nothing of the request", async () => {
  const { emulator, post } = createService();
  const fresh = emulator.snapshot();
  emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
  const stop = emulator.onRequest(() => emulator.reset());
  await expect(post(VALID.song)).rejects.toThrow(TypeError);
  stop();
  expect(emulator.snapshot()).toEqual(fresh);
});

test("a response in process has the request's `url`, as with `fetch`", async () => {
  const { emulator } = createService();
  const url = `${emulator.url}/openapi.json`;
  expect((await emulator.fetch(url)).url).toBe(url);
});

test("a `Request` as second argument replaces the first one's options, as with `fetch`", async () => {
  const service = createService();
  const { fetch, url } = service.emulator;
  const options = new Request("https://elsewhere.example", postOf(service, VALID.song));
  expect((await fetch(new Request(url + TASK), options)).status).toBe(202);
});
