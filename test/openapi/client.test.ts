import { expect, onTestFinished, test } from "vitest";
// Only `generated.test.ts` generates these types and compiles this file.
import type { paths } from "../../.reports/openapi/generated.js";
import { createEmulator } from "../../emulator/index.js";
import { createClient } from "../../tools/openapi/programs.js";
import { SAMPLES } from "../spec/tables/samples.js";

/** A program without the SDK: a generated client. */
function createWorld() {
  const emulator = createEmulator({ seed: 1, credits: 100 });
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  const connect = (apiKey: string) =>
    createClient<paths>({ baseUrl: emulator.url, fetch: emulator.fetch, headers: { "x-api-key": apiKey } });
  return { emulator, client: connect(emulator.apiKey), connect };
}

test("a generated client can create a song, and read its cost", async () => {
  const { emulator, client } = createWorld();
  const created = await client.POST("/api/v1/task", {
    params: { header: { "X-Request-Id": "song-1" } },
    body: { ...SAMPLES["provider_a music"], audio_format: "mp3" },
  });
  expect(created.response.headers.get("X-Request-Id")).toBe("song-1");
  expect(created.data).toMatchObject({ code: 202, data: { status: "pending", credits_charged: 10 } });
  const taskId = created.data?.data.task_id ?? "";

  await emulator.clock.advance(600_000);
  const read = await client.GET("/api/v1/task/{taskId}", { params: { path: { taskId } } });
  const result = read.data?.data.output?.result;
  const clips = Array.isArray(result) ? result : [];
  expect(read.data?.data.status).toBe("success");
  expect(clips[0]?.audio_url).toMatch(/^https?:/);
  expect(clips[0]?.metadata?.duration).toBeGreaterThan(0);

  const balance = await client.GET("/api/v1/account/balance");
  expect(balance.data?.data).toEqual({ available: 90, frozen: 0, total: 90 });
  const usage = await client.GET("/api/v1/account/usage");
  expect(usage.data?.data).toEqual({ tasks_created: 1, credits_used: 10, credits_topped_up: 100 });
});

test("a generated client can create tasks of every type and provider", async () => {
  const { emulator, client } = createWorld();
  const submissions = [
    await client.POST("/api/v1/task", { body: SAMPLES["provider_a lyrics"] }),
    await client.POST("/api/v1/task", { body: SAMPLES["provider_a upload"] }),
    await client.POST("/api/v1/task", {
      body: { model: "provider_a", task_type: "concat", input: { clip_id: "no-such-clip" } },
    }),
    await client.POST("/api/v1/task", { body: SAMPLES["provider_b music"] }),
  ];
  await emulator.clock.advance(600_000);
  const statuses = [];
  for (const { data } of submissions) {
    const params = { path: { taskId: data?.data.task_id ?? "" } };
    const read = await client.GET("/api/v1/task/{taskId}", { params });
    statuses.push([read.data?.data.type, read.data?.data.status, read.data?.data.error_code]);
  }
  expect(statuses).toEqual([
    ["lyrics", "success", null],
    ["upload", "success", null],
    ["concat", "failure", "invalid_task_input"],
    ["music", "success", null],
  ]);
});

test("a generated client receives errors in the described body", async () => {
  const { client, connect } = createWorld();
  const unknown = await client.GET("/api/v1/task/{taskId}", {
    params: { path: { taskId: "0b9f6f2e-6f0a-4c3e-9d7c-6a1f4f3d2c1b" } },
  });
  expect([unknown.error?.code, unknown.error?.error_code]).toEqual([404, "task_not_found"]);
  const unauthorized = await connect("emu_unknown").GET("/api/v1/account/usage");
  expect([unauthorized.error?.code, unauthorized.error?.error_code]).toEqual([401, "invalid_api_key"]);
});

test("a mix of the two providers' fields does not compile in a generated client", async () => {
  const { client } = createWorld();
  const { error } = await client.POST("/api/v1/task", {
    // @ts-expect-error: provider_b must not have provider_a's fields.
    body: { model: "provider_b", task_type: "music", input: { prompt: "calm", make_instrumental: true } },
  });
  expect(error?.error_code).toBe("invalid_task_input");
});
