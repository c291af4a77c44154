import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { collectGarbage } from "../support/collect-garbage.js";
import { BALANCE, clipsOf, createService, TASK, VALID } from "./support/service.js";

test("of a body that is too large no more is read", async () => {
  const { emulator } = createService();
  let pieces = 0;
  let isLeft = false;
  const body = new ReadableStream({
    pull(controller) {
      pieces++;
      controller.enqueue(new Uint8Array(2 ** 20));
    },
    cancel() {
      isLeft = true;
    },
  });
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" } as const;
  const response = await emulator.fetch(`${emulator.url}/api/v1/task`, init);
  expect(response.status).toBe(400);
  expect(isLeft).toBe(true);
  expect(pieces).toBeLessThan(6);
});

test("a body that is nested as deeply as anybody needs is echoed", async () => {
  const { create, read } = createService();
  let deep: unknown = 1;
  for (let depth = 0; depth < 100; depth++) deep = { a: [deep] };
  const input = { tags: "fado", deep };
  expect((await read(await create({ model: "provider_a", task_type: "music", input }))).input).toEqual(input);
});

test("many brackets beside each other are not deep", async () => {
  const { post } = createService();
  expect((await post({ ...VALID.song, wide: Array.from({ length: 5_000 }, () => []) })).status).toBe(202);
});

test("the input is echoed as it came, whatever its names are", async () => {
  const { create, read } = createService();
  const text = '{"tags":"fado","title":7,"__proto__":{"a":1},"constructor":"x","ü":"\\u2028"}';
  const task = await read(await create(`{"model":"provider_a","task_type":"music","input":${text}}`));
  expect(JSON.stringify(task.input)).toBe(JSON.stringify(JSON.parse(text)));
});

test("the service's address shows a page, to GET and to HEAD", async () => {
  const { send, emulator } = createService();
  const page = await send("/");
  expect(page.status).toBe(200);
  expect(page.headers.get("Content-Type")).toMatch(/^text\//);
  expect(page.body).toContain(emulator.url);
  const head = await send("/", { method: "HEAD" });
  expect([head.status, head.body]).toEqual([200, ""]);
  expect(head.headers.get("Content-Length")).toBe(String(page.body.length));
});

test.each(["service", "control plane"])(
  "who guesses a path of the %s is told where all of them stand",
  async (part) => {
    const { send } = createService();
    const above = part === "service" ? "" : "/_emulator";
    const { body } = await send(`${above}/api/v1/balance`);
    const [, described = ""] = /\. (\S+) lists all paths\.$/.exec(body.message) ?? [];
    const { status, body: description } = await send(described);
    expect([status, described]).toEqual([200, `${above}/openapi.json`]);
    expect(Object.keys(description.paths).length).toBeGreaterThan(3);
  },
);

test("a provider, which describes nothing, sends nobody to a description", async () => {
  const { send } = createService();
  const { status, body } = await send("https://provider-a.test/nothing");
  expect([status, body.error_code]).toEqual([404, "not_found"]);
  expect(body.message).not.toContain("openapi");
});

test("a query is no part of the path", async () => {
  const { get } = createService();
  expect((await get(`${BALANCE}?x=/y`)).status).toBe(200);
});

test("every response has the caller's request id, its length, and says that it is emulated", async () => {
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

test("what is under way when another state takes the place of its own reaches nothing of it", async () => {
  const service = createService();
  const { emulator, post, send } = service;
  const [source] = await clipsOf(service, VALID.song, { clips: 1 });
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

test("an abort ends a file with its reason while it arrives, also after a garbage collection", async () => {
  const { emulator, create, read } = createService();
  const [clip] = (await read(await create(VALID.song, { polls: 1 }))).output.result;
  const leaving = new AbortController();
  const file = await emulator.fetch(clip.audio_url, { signal: leaving.signal });
  const whole = await emulator.fetch(clip.audio_url, { signal: new AbortController().signal });
  await collectGarbage();
  leaving.abort(new Error("heard enough"));
  await expect(file.arrayBuffer()).rejects.toThrow("heard enough");
  const { byteLength } = await whole.arrayBuffer();
  expect(String(byteLength)).toBe(whole.headers.get("Content-Length"));
});

test("a file that is not read adds no listener to the signal of its request", async () => {
  const { emulator, create, read } = createService();
  const [clip] = (await read(await create(VALID.song, { polls: 1 }))).output.result;
  const { signal } = new AbortController();
  const file = await emulator.fetch(new Request(clip.audio_url), { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await file.arrayBuffer();
});

test("who resets the emulator as a request is logged finds nothing of it in the new state", async () => {
  const { emulator, post } = createService();
  const fresh = emulator.snapshot();
  emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
  emulator.onRequest(() => emulator.reset());
  await expect(post(VALID.song)).rejects.toThrow(TypeError);
  expect(emulator.snapshot()).toEqual(fresh);
});

test("an answer in process bears the address that was asked, as `fetch` has it", async () => {
  const { emulator } = createService();
  const url = `${emulator.url}/openapi.json`;
  expect((await emulator.fetch(url)).url).toBe(url);
});

test("a request that is given beside another replaces it, as `fetch` has it", async () => {
  const { emulator } = createService();
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(VALID.song) };
  const address = new Request(emulator.url + TASK);
  const answer = await emulator.fetch(address, new Request("https://elsewhere.example", init));
  expect(answer.status).toBe(202);
});
