import { createEmulator, type EmulatorOptions } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, test } from "vitest";
import { type Exchange, Exchanges } from "../../emulator/core/log/exchanges.js";
import { REMEMBERED_REQUESTS } from "../../emulator/core/log/request-log.js";
import { eventsOf } from "./support/events.js";
import { BALANCE, clipsOf, createControlled, fetchBytes, TASK, USAGE, VALID } from "./support/service.js";

/** A service with the default rate limit, and its exchanges by number. */
function start(options: EmulatorOptions = {}) {
  const service = createControlled({ limits: { requests: 120 }, ...options });
  const exchange = async (number: number) => (await service.control("GET", `/exchanges/${number}`)).body;
  const { accountId } = service.emulator;
  const sendFor = (path: string, id = accountId) =>
    service.control("POST", `/accounts/${id}/requests`, { method: "GET", path });
  return { ...service, exchange, sendFor };
}

test("an exchange contains both messages, with the API key masked, and the created task", async () => {
  const { emulator, create, exchange } = start();
  const taskId = await create(VALID.song);
  const [key] = emulator.accounts.get(emulator.accountId).keys;
  const details = await exchange(1);
  expect(details).toMatchObject({
    ...{ number: 1, method: "POST", url: emulator.url + TASK, status: 202, rate_limit_remaining: 119 },
    ...{ account_id: emulator.accountId, key_id: key?.key_id, task_id: taskId, duration_ms: 0 },
    ...{ ended: "response", fault: null, outcome: null, manual: false, complete: true },
    request_headers: { "x-api-key": `****${emulator.apiKey.slice(-4)}` },
    response_headers: { "X-RateLimit-Remaining": "119" },
  });
  expect(JSON.parse(details.request_body)).toEqual(VALID.song);
  expect(JSON.parse(details.response_body).data.task_id).toBe(taskId);
  expect(JSON.stringify(details)).not.toContain(emulator.apiKey);
});

test("no view of the requests shows the API key, wherever a request has it", async () => {
  const { emulator, post, get, control } = start();
  const { apiKey } = emulator;
  const everywhere = { "X-Request-Id": apiKey, "User-Agent": apiKey };
  const input = { ...VALID.song.input, [apiKey]: apiKey };
  const { task_id: taskId } = (await post({ ...VALID.song, input }, everywhere)).body.data;
  await get(`${TASK}/${taskId}?key=${apiKey}`);
  await get(`${TASK}/${apiKey}`);
  // Two reads within a second are a finding.
  for (let reads = 0; reads < 2; reads++) await get(`${TASK}/${taskId}`, everywhere);
  const views = [
    ...(await Promise.all([1, 2, 3].map((number) => control("GET", `/exchanges/${number}`)))),
    await control("POST", "/exchanges/har", {}),
    await control("GET", "/requests"),
    await control("GET", "/audit"),
  ];
  for (const { status, body } of views) {
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining(`****${apiKey.slice(-4)}`)]);
    expect(JSON.stringify(body)).not.toContain(apiKey);
  }
});

test("an exchange states the fault or outcome that applied, and its duration", async () => {
  const { emulator, get, post, exchange, fault } = start();
  const slow = { kind: "latency", ms: 1500 } as const;
  fault(slow);
  fault({ kind: "disconnect", when: "after" });
  emulator.providers.provider_a.next({ outcome: "failure" });
  await get(BALANCE);
  await get(USAGE).catch(() => {});
  await post(VALID.song);
  expect(await exchange(1)).toMatchObject({ fault: slow, duration_ms: 1500, status: 200 });
  const lost = { ended: "disconnect", status: null, response_headers: null, response_body: null };
  expect(await exchange(2)).toMatchObject(lost);
  expect(await exchange(3)).toMatchObject({ fault: null, outcome: { outcome: "failure" } });
});

test("the exchange of a read has the account's task, and the API key's id", async () => {
  const { emulator, create, read, exchange, sendFor } = start();
  const taskId = await create(VALID.lyrics);
  await read(taskId.toUpperCase());
  const other = emulator.accounts.create();
  await sendFor(`${TASK}/${taskId}`, other.account_id);
  expect(await exchange(2)).toMatchObject({ task_id: taskId });
  expect(await exchange(3)).toMatchObject({ task_id: null, key_id: other.key_id, status: 404 });
});

test("the audit ignores requests that were sent from the dashboard", async () => {
  const { create, read, findings, exchange, sendFor } = start();
  const taskId = await create(VALID.lyrics);
  for (let count = 0; count < 3; count++) await sendFor(`${TASK}/${taskId}`);
  expect(findings()).toEqual([]);
  expect(await exchange(4)).toMatchObject({ manual: true, rate_limit_remaining: 116 });
  await read(taskId);
  await read(taskId);
  expect(findings()).toEqual(["polled_too_often"]);
});

test("beyond the limit in bytes the oldest headers and bodies are dropped, but not the log", async () => {
  const { emulator, get, post, exchange } = start({ exchangeBytes: 5000 });
  for (let count = 0; count < 4; count++) await get(BALANCE);
  const exchanges = await Promise.all([1, 2, 3, 4].map(exchange));
  expect(exchanges.map(({ complete }) => complete)).toEqual([true, true, true, true]);
  await post({ ...VALID.song, input: { prompt: "la ".repeat(900) } });
  expect(await exchange(1)).toMatchObject({ complete: false, request_headers: null, status: 200 });
  expect(await exchange(5)).toMatchObject({ complete: true });
  expect(emulator.requests).toHaveLength(5);
  expect(() => createEmulator({ exchangeBytes: -1 })).toThrow("exchangeBytes");
});

test("the exchange of a file has its length and content type instead of the file", async () => {
  const service = start();
  const [{ audio_url: url }] = await clipsOf(service);
  const { bytes } = await fetchBytes(service, url);
  const file = { url, response_body: null, response_bytes: bytes.length };
  expect(await service.exchange(3)).toMatchObject({
    ...file,
    response_headers: { "Content-Type": "audio/wav" },
  });
});

test("an HTTP archive contains the selected exchanges, without API keys", async () => {
  const { emulator, get, post, control } = start();
  await get(BALANCE);
  await post(VALID.song);
  const all = (await control("POST", "/exchanges/har", {})).body;
  const { log } = (await control("POST", "/exchanges/har", { numbers: [2, 99] })).body;
  expect(all.log.entries).toHaveLength(2);
  const request = { method: "POST", url: emulator.url + TASK };
  const response = { status: 202, content: { mimeType: "application/json" } };
  expect(log).toMatchObject({ version: "1.2", entries: [{ time: 0, request, response }] });
  expect(JSON.parse(log.entries[0].request.postData.text)).toEqual(VALID.song);
  expect(JSON.stringify(all)).not.toContain(emulator.apiKey);
});

test("a restored snapshot starts the exchanges anew, and its logged requests have no messages", async () => {
  const { emulator, get, exchange, control } = start();
  await get(BALANCE);
  emulator.restore(emulator.snapshot());
  expect(await exchange(1)).toMatchObject({ error_code: "not_found" });
  await get(USAGE);
  expect(await exchange(1)).toMatchObject({ path: USAGE });
  const { body } = await control("GET", "/exchanges/before/100");
  expect(body).toMatchObject({
    exchanges: [
      { number: null, path: BALANCE, ended: null, manual: false },
      { number: 1, path: USAGE, ended: "response" },
    ],
    earlier: false,
  });
});

test("the log is listed from its end, page by page, each request once, also while more arrive", async () => {
  const { emulator, get, control } = start({ limits: { requests: 100_000 } });
  await get(USAGE);
  emulator.restore(emulator.snapshot());
  for (let count = 0; count < 4100; count++) await get(BALANCE);
  const numbers: (number | null)[] = [];
  for (let before = 10 ** 14, more = true; more; ) {
    const { exchanges, earlier } = (await control("GET", `/exchanges/before/${before}`)).body;
    numbers.unshift(...exchanges.map(({ number }: { number: number | null }) => number));
    [before, more] = [exchanges[0].number, earlier];
    await get(BALANCE);
  }
  expect(numbers).toEqual([null, ...Array.from({ length: 4100 }, (_, index) => index + 1)]);
});

test("the stream sends the requests from its opening on", async () => {
  const { emulator, get } = start();
  await get(BALANCE);
  const events = eventsOf(await emulator.fetch(`${emulator.url}/_emulator/exchanges/stream`));
  await get(USAGE);
  expect(await events.next()).toMatchObject({ path: USAGE });
  await events.leave();
});

test("when the log drops its oldest exchanges, their bytes are free again", () => {
  // Room for the messages of 1.5 logs of requests without a body.
  const bytesEach = 1024;
  const room = 1.5 * REMEMBERED_REQUESTS;
  const exchanges = new Exchanges(room * bytesEach);
  const messages = { requestHeaders: new Headers(), requestBody: null, response: null };
  const completeOnes = () => exchanges.all().filter((each) => each.messages !== null).length;
  for (let number = 1; number <= 4.5 * REMEMBERED_REQUESTS; number++) {
    exchanges.add({ messages: { ...messages } } as unknown as Exchange);
    const { length } = exchanges.all();
    if (number % 12_500 < 2 && completeOnes() !== Math.min(length, room))
      expect.fail(`${completeOnes()} of ${length} exchanges are complete after ${number}`);
  }
  expect(exchanges.find(4.5 * REMEMBERED_REQUESTS)).toMatchObject({ number: 4.5 * REMEMBERED_REQUESTS });
});

test("in process, the URL of an exchange has the origin that the request was sent to", async () => {
  const { emulator, create, read, advance, control, exchange } = start();
  const sent: string[] = [];
  const fetchFile = async (url: string) => {
    await (await emulator.fetch(url)).arrayBuffer();
    sent.push(url);
  };
  for (const order of [VALID.song, VALID.providerB]) {
    const taskId = await create(order, { polls: 1, storable: false });
    const [{ audio_url: audio, image_url: image = audio }] = (await read(taskId)).output.result;
    sent.push(emulator.url + TASK, `${emulator.url}${TASK}/${taskId}`);
    await fetchFile(audio);
    await fetchFile(image);
    await advance(1_000);
  }
  // Also if the path does not name the provider.
  for (const name of ["a", "b"]) await fetchFile(`https://provider-${name}.test/nowhere`);
  expect(new Set(sent.map((url) => new URL(url).origin)).size).toBe(3);

  const numbers = sent.map((_, index) => index + 1);
  const urlsOf = (rows: unknown[]) => rows.map((row) => Object(row).url);
  expect(urlsOf(await Promise.all(numbers.map(exchange)))).toEqual(sent);
  const listed = (await control("GET", "/exchanges/before/1000")).body.exchanges;
  expect(urlsOf(listed)).toEqual(sent);
  const { log } = (await control("POST", "/exchanges/har", {})).body;
  expect(urlsOf(log.entries.map(({ request }: { request: unknown }) => request))).toEqual(sent);
});

test("a stalled request has no duration, since its caller ends it", async () => {
  const { control, emulator, exchange } = start();
  emulator.faults.add({ fault: { kind: "stall" } });
  const signal = AbortSignal.timeout(5);
  const stalled = emulator.fetch(emulator.url + BALANCE, { signal });
  await expect(stalled).rejects.toThrow("timeout");
  expect(await exchange(1)).toMatchObject({ ended: "stall", duration_ms: null });
  const { log } = (await control("POST", "/exchanges/har", {})).body;
  expect(log.entries).toMatchObject([{ time: 0, timings: { wait: 0 }, _error: "stall" }]);
});

test("the URL of an exchange has the origin at which its reader reaches the emulator", async () => {
  const service = start();
  const { emulator, exchange } = service;
  await using server = await serve(emulator);
  const [clip] = await clipsOf(service, VALID.providerB, { storable: false });
  const inProcess: string = clip.audio_url;
  await (await emulator.fetch(inProcess)).arrayBuffer();
  const overNetwork = async (number: number) =>
    (await fetch(`${server.url}/_emulator/exchanges/${number}`)).json();
  const { url } = await overNetwork(3);
  expect(new URL(url).pathname).toBe(new URL(inProcess).pathname);
  expect((await fetch(url)).status).toBe(200);
  expect(await overNetwork(4)).toMatchObject({ url });
  for (const number of [3, 4]) expect(await exchange(number)).toMatchObject({ url: inProcess });
});

test("a search finds the requests whose bodies contain a text, in any case, and never an API key", async () => {
  const { control, post, get, emulator } = start({ credits: 100 });
  const input = { prompt: "A Lighthouse" };
  await post({ model: "provider_a", task_type: "lyrics", input });
  await get(BALANCE);
  await post({ model: "provider_a", task_type: "lyrics", input: { prompt: `my key: ${emulator.apiKey}` } });
  const search = async (text: string) => (await control("POST", "/exchanges/search", { text })).body.numbers;
  expect(await search("lightHOUSE")).toEqual([1]);
  expect(await search("frozen")).toEqual([2]);
  expect(await search("my key")).toEqual([3]);
  expect(await search(emulator.apiKey)).toEqual([]);
});
