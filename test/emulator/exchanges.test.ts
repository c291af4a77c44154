import { createEmulator, type Emulator, type EmulatorOptions } from "async-music/emulator";
import { expect, test } from "vitest";
import { VALID } from "./support/service.js";

const HEADERS = { "Content-Type": "application/json" };

function start(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ seed: 1, ...options });
  const json = async (method: string, path: string, body?: unknown, headers: object = HEADERS) => {
    const init = {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await emulator.fetch(emulator.url + path, init);
    return response.headers.get("Content-Type") === "application/json" ? response.json() : response.text();
  };
  return {
    emulator,
    send: (method: string, path: string, body?: unknown) =>
      json(method, path, body, { ...HEADERS, "x-api-key": emulator.apiKey }).catch(() => null),
    control: (method: string, path: string, body?: unknown) => json(method, `/_emulator${path}`, body),
  };
}

const exchange = (control: ReturnType<typeof start>["control"], number: number) =>
  control("GET", `/exchanges/${number}`);

test("an exchange has both messages, the key masked, and the task that was created", async () => {
  const { emulator, send, control } = start();
  const { data } = await send("POST", "/api/v1/task", VALID.song);
  const [key] = emulator.accounts.get(emulator.accountId).keys;
  const details = await exchange(control, 1);
  expect(details).toMatchObject({
    number: 1,
    method: "POST",
    url: `${emulator.url}/api/v1/task`,
    status: 202,
    account_id: emulator.accountId,
    key_id: key?.key_id,
    task_id: data.task_id,
    duration_ms: 0,
    ended: "response",
    rate_limit_remaining: 119,
    fault: null,
    outcome: null,
    manual: false,
    complete: true,
    request_headers: { "x-api-key": `****${emulator.apiKey.slice(-4)}` },
    response_headers: { "X-RateLimit-Remaining": "119" },
  });
  expect(JSON.parse(details.request_body)).toEqual(VALID.song);
  expect(JSON.parse(details.response_body).data.task_id).toBe(data.task_id);
  expect(JSON.stringify(details)).not.toContain(emulator.apiKey);
});

test("an exchange names the fault or the outcome that shaped it, and how long it took", async () => {
  const { emulator, send, control } = start();
  const slow = { kind: "latency", ms: 1500 } as const;
  emulator.faults.add({ fault: slow });
  emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
  emulator.providers.provider_a.next({ outcome: "failure" });
  await send("GET", "/api/v1/account/balance");
  await send("GET", "/api/v1/account/usage");
  await send("POST", "/api/v1/task", VALID.song);
  expect(await exchange(control, 1)).toMatchObject({ fault: slow, duration_ms: 1500, status: 200 });
  const lost = await exchange(control, 2);
  expect(lost).toMatchObject({
    ended: "disconnect",
    status: null,
    response_headers: null,
    response_body: null,
  });
  expect(await exchange(control, 3)).toMatchObject({ fault: null, outcome: { outcome: "failure" } });
});

test("a read names its task, and the key that read it", async () => {
  const { emulator, send, control } = start();
  const { data } = await send("POST", "/api/v1/task", VALID.lyrics);
  await send("GET", `/api/v1/task/${data.task_id.toUpperCase()}`);
  const other = emulator.accounts.create();
  await control("POST", `/accounts/${other.account_id}/requests`, {
    method: "GET",
    path: `/api/v1/task/${data.task_id}`,
  });
  expect(await exchange(control, 2)).toMatchObject({ task_id: data.task_id });
  expect(await exchange(control, 3)).toMatchObject({ task_id: null, key_id: other.key_id, status: 404 });
});

test("the audit ignores what was sent from the dashboard", async () => {
  const { emulator, send, control } = start();
  const { data } = await send("POST", "/api/v1/task", VALID.lyrics);
  const read = { method: "GET", path: `/api/v1/task/${data.task_id}` };
  for (let count = 0; count < 3; count++)
    await control("POST", `/accounts/${emulator.accountId}/requests`, read);
  expect(emulator.audit()).toEqual([]);
  expect(await exchange(control, 4)).toMatchObject({ manual: true, rate_limit_remaining: 116 });
  await send("GET", read.path);
  await send("GET", read.path);
  expect(emulator.audit()).toMatchObject([{ rule: "polled_too_often" }]);
});

test("headers and bodies are dropped oldest first beyond the limit in bytes, and the log stays", async () => {
  const { emulator, send, control } = start({ exchangeBytes: 5000 });
  for (let count = 0; count < 4; count++) await send("GET", "/api/v1/account/balance");
  const kept = await Promise.all([1, 2, 3, 4].map((number) => exchange(control, number)));
  expect(kept.map(({ complete }) => complete)).toEqual([true, true, true, true]);
  await send("POST", "/api/v1/task", { ...VALID.song, input: { prompt: "la ".repeat(900) } });
  expect(await exchange(control, 1)).toMatchObject({ complete: false, request_headers: null, status: 200 });
  expect(await exchange(control, 5)).toMatchObject({ complete: true });
  expect(emulator.requests).toHaveLength(5);
  expect(() => createEmulator({ exchangeBytes: -1 })).toThrow("exchangeBytes");
});

test("of a file, an exchange has the length and the type", async () => {
  const { emulator, send, control } = start();
  const { data } = await send("POST", "/api/v1/task", VALID.song);
  await emulator.clock.advance(600_000);
  const song = await send("GET", `/api/v1/task/${data.task_id}`);
  const [{ audio_url: url }] = song.data.output.result;
  const audio = await (await emulator.fetch(url)).arrayBuffer();
  expect(await exchange(control, 3)).toMatchObject({
    url,
    response_body: null,
    response_bytes: audio.byteLength,
    response_headers: { "Content-Type": "audio/wav" },
  });
});

test("an HTTP archive has the chosen exchanges, without keys", async () => {
  const { emulator, send, control } = start();
  await send("GET", "/api/v1/account/balance");
  await send("POST", "/api/v1/task", VALID.song);
  const all = await control("POST", "/exchanges/har", {});
  const { log } = await control("POST", "/exchanges/har", { numbers: [2, 99] });
  expect(all.log.entries).toHaveLength(2);
  expect(log).toMatchObject({
    version: "1.2",
    entries: [
      {
        time: 0,
        request: { method: "POST", url: `${emulator.url}/api/v1/task` },
        response: { status: 202, content: { mimeType: "application/json" } },
      },
    ],
  });
  expect(JSON.parse(log.entries[0].request.postData.text)).toEqual(VALID.song);
  expect(JSON.stringify(all)).not.toContain(emulator.apiKey);
});

test("after a reset or a snapshot, exchanges begin again, and requests of the snapshot have no messages", async () => {
  const { emulator, send, control } = start();
  await send("GET", "/api/v1/account/balance");
  emulator.restore(emulator.snapshot());
  expect(await exchange(control, 1)).toMatchObject({ error_code: "not_found" });
  await send("GET", "/api/v1/account/usage");
  expect(await exchange(control, 1)).toMatchObject({ path: "/api/v1/account/usage" });
  expect(await firstEvents(emulator, 2)).toMatchObject([
    { number: null, path: "/api/v1/account/balance", ended: null, manual: false },
    { number: 1, path: "/api/v1/account/usage", ended: "response" },
  ]);
});

async function firstEvents(emulator: Emulator, count: number): Promise<unknown[]> {
  const { body } = await emulator.fetch(`${emulator.url}/_emulator/exchanges/stream`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.split("data: ").length <= count) text += (await reader?.read())?.value;
  await reader?.cancel();
  return text.match(/(?<=data: ).*/g)?.map((event) => JSON.parse(event)) ?? [];
}
