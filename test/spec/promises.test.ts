import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createService, field } from "./emulated-service.js";
import { SAMPLES } from "./tables/samples.js";
import { read, submit } from "./tasks-of-the-emulator.js";

const LYRICS = SAMPLES["provider_a lyrics"];
const BALANCE = "/api/v1/account/balance";

describe("the API key is the only credential", () => {
  it.each([
    ["an Authorization header", { Authorization: "Bearer KEY" }, ""],
    ["basic authentication", { Authorization: "Basic KEY" }, ""],
    ["a cookie", { Cookie: "x-api-key=KEY" }, ""],
    ["another header", { "api-key": "KEY" }, ""],
    ["a query", {}, "?x-api-key=KEY&api_key=KEY"],
  ])("%s does not replace it", async (_, headers, query) => {
    const service = createService();
    const withKey = (text: string) => text.replaceAll("KEY", service.emulator.apiKey);
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, withKey(value)]));
    const { status, body } = await service.get(BALANCE + withKey(query), { key: null, headers: sent });
    expect([status, field(body, "error_code")]).toEqual([401, "missing_api_key"]);
  });
});

describe("a POST that is sent twice", () => {
  it.each([
    ["with one request ID", { "X-Request-Id": "song-1" }],
    ["with an idempotency key", { "Idempotency-Key": "song-1" }],
  ])("creates two tasks, each charged, also %s", async (_, headers) => {
    const service = createService();
    const first = await service.post(LYRICS, { headers });
    const second = await service.post(LYRICS, { headers });
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(field(second.data, "task_id")).not.toBe(field(first.data, "task_id"));
    expect(await service.balance()).toEqual({ available: 90, frozen: 10, total: 100 });
  });
});

describe("results are polled", () => {
  it("no callback is sent when a task ends, whatever URL the request contains", async () => {
    const network = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("no network in here"));
    onTestFinished(() => network.mockRestore());
    const service = createService();
    const address = "https://a.example/hook";
    const body = { ...LYRICS, callback: address, webhook_url: address, input: { ...LYRICS.input, address } };
    const taskId = await submit(service, body);
    await service.emulator.clock.advance(600_000);
    expect((await read(service, taskId)).data).toMatchObject({ status: "success" });
    expect(network).not.toHaveBeenCalled();
  });

  it("each read of a running task shows its current progress", async () => {
    const service = createService();
    service.emulator.providers.provider_a.next({ queue_seconds: 0, process_seconds: 100 });
    const taskId = await submit(service, LYRICS);
    const seen = [];
    for (let step = 0; step < 4; step++) {
      await service.emulator.clock.advance(20_000);
      seen.push(field(field((await read(service, taskId)).data, "output"), "progress"));
    }
    expect(new Set(seen).size).toBe(4);
  });
});

it("the number of unfinished tasks is limited by the credits only", async () => {
  const service = createService({ credits: 500 });
  const submissions = await Promise.all(Array.from({ length: 100 }, () => service.post(LYRICS)));
  expect(new Set(submissions.map(({ status }) => status))).toEqual(new Set([202]));
  expect(await service.balance()).toEqual({ available: 0, frozen: 500, total: 500 });
});

it("a prompt can be as long as the body allows", async () => {
  const service = createService();
  const prompt = "rain ".repeat(200_000);
  const taskId = await submit(service, { ...LYRICS, input: { prompt } });
  const echoed = field(field((await read(service, taskId)).data, "input"), "prompt");
  expect(echoed === prompt).toBe(true);
});
