import { describe, expect, test } from "vitest";
import { BALANCE, createService, serviceOf, TASK, USAGE, VALID } from "./support/service.js";

const SECOND = 1000;
const HOUR = 3_600_000;

test("a song waits, is worked on, and is there", async () => {
  const { create, read, emulator } = createService();
  const taskId = await create(
    { ...VALID.song, audio_format: "mp3" },
    { queue_seconds: 10, process_seconds: 40 },
  );
  const common = {
    task_id: taskId,
    model: "provider_a",
    type: "music",
    credits_cost: 10,
    input: VALID.song.input,
    audio_format: "mp3",
    error: null,
    error_code: null,
    retryable: null,
    retry_after_seconds: null,
    created_at: "2026-01-01T00:00:00.000Z",
  };
  expect(await read(taskId)).toEqual({ ...common, status: "pending", output: null, completed_at: null });

  await emulator.clock.advance(10 * SECOND);
  const working = { task_type: "music", status: "processing", fail_reason: null, result: null };
  expect(await read(taskId)).toEqual({
    ...common,
    status: "running",
    output: { ...working, progress: "0%" },
    completed_at: null,
  });
  await emulator.clock.advance(20 * SECOND);
  expect((await read(taskId)).output.progress).toBe("50%");
  await emulator.clock.advance(20 * SECOND - 1);
  expect((await read(taskId)).status).toBe("running");
  await emulator.clock.advance(1);

  const done = await read(taskId);
  expect(done).toEqual({
    ...common,
    status: "success",
    output: {
      task_type: "music",
      status: "completed",
      progress: "100%",
      fail_reason: null,
      result: [expect.anything(), expect.anything()],
    },
    completed_at: "2026-01-01T00:00:50.000Z",
  });
  expect(done.output.result[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    audio_url: expect.stringMatching(/^https:\/\/api\.async-music\.test\//),
    image_url: expect.stringMatching(/^https:\/\/provider-a\.test\//),
    image_large_url: expect.stringMatching(/^https:\/\/provider-a\.test\//),
    title: expect.any(String),
    metadata: { duration: expect.any(Number), tags: "", prompt: "", model_version: "v6" },
  });
});

test("a result that was read once is always the same", async () => {
  const { create, read, emulator } = createService();
  const taskId = await create(VALID.song, { polls: 1 });
  const first = await read(taskId);
  await emulator.clock.advance(30 * 24 * HOUR);
  expect(await read(taskId)).toEqual(first);
});

test.each([
  ["a string", "Rain", "Rain"],
  ["an empty string", "", ""],
  ["a number", 7, "7"],
  ["a fraction", -0.5, "-0.5"],
  ["true", true, "true"],
  ["false", false, "false"],
  ["a list", ["Rain", 2], '["Rain",2]'],
  ["null", null, "null"],
  ["an object", { a: [1] }, '{"a":[1]}'],
])("a title that is %s is on the clip as a string, and in the input as it came", async (_, title, shown) => {
  const { create, read } = createService();
  const input = { tags: "fado", title };
  const task = await read(await create({ model: "provider_a", task_type: "music", input }, { polls: 1 }));
  expect(task.output.result[0].title).toBe(shown);
  expect(task.input).toEqual(input);
});

test("what inspiration ignores is not on the clip", async () => {
  const { create, read } = createService();
  const input = { gpt_description_prompt: "rain", title: "Ignored", tags: "ignored", prompt: "ignored" };
  const task = await read(await create({ model: "provider_a", task_type: "music", input }, { polls: 1 }));
  expect(JSON.stringify(task.output)).not.toMatch(/ignored/i);
});

describe("what the end of a task does to its credits", () => {
  test("a success settles them at the read that finds it, and not before", async () => {
    const { create, read, balance, emulator } = createService({ credits: 100 });
    const taskId = await create(VALID.song, { process_seconds: 30 });
    await emulator.clock.advance(HOUR);
    expect(await balance()).toEqual({ available: 90, frozen: 10, total: 100 });
    expect((await read(taskId)).status).toBe("success");
    expect(await balance()).toEqual({ available: 90, frozen: 0, total: 90 });
    expect(emulator.accounts.get(emulator.accountId).ledger.map(({ kind }) => kind)).toEqual([
      "top_up",
      "freeze",
      "settle",
    ]);
  });

  test("a failure refunds them, and says why it failed", async () => {
    const { create, read, balance, get } = createService({ credits: 100 });
    const taskId = await create(VALID.song, {
      outcome: "failure",
      process_seconds: 0,
      error: "No",
      error_code: "rate_limited",
      retryable: true,
      retry_after_seconds: 90,
    });
    expect((await balance()).frozen).toBe(10);
    expect(await read(taskId)).toMatchObject({
      status: "failure",
      error: "No",
      error_code: "rate_limited",
      retryable: true,
      retry_after_seconds: 90,
      credits_cost: 10,
      completed_at: "2026-01-01T00:00:00.000Z",
      output: { status: "failed", fail_reason: "No", result: null },
    });
    expect(await balance()).toEqual({ available: 100, frozen: 0, total: 100 });
    expect((await get(USAGE)).body.data).toEqual({
      tasks_created: 1,
      credits_used: 10,
      credits_topped_up: 100,
    });
  });

  test.each([
    ["settle", "success"],
    ["refund", "failure"],
  ])("a thousand reads at once %s once", async (end, outcome) => {
    const { create, read, emulator } = createService({ credits: 100 });
    const taskId = await create(VALID.song, { process_seconds: 1, outcome });
    await emulator.clock.advance(SECOND);
    const reads = await Promise.all(Array.from({ length: 1000 }, () => read(taskId)));
    expect(new Set(reads.map((task) => JSON.stringify(task))).size).toBe(1);
    const kinds = emulator.accounts.get(emulator.accountId).ledger.map(({ kind }) => kind);
    expect(kinds).toEqual(["top_up", "freeze", end]);
  });
});

describe("the hour", () => {
  const hang = { outcome: "hang" };

  test("exactly an hour is not yet a timeout, and a millisecond more is", async () => {
    const { create, read, balance, emulator } = createService({ credits: 100 });
    const taskId = await create(VALID.song, hang);
    await emulator.clock.advance(HOUR);
    expect((await read(taskId)).status).toBe("running");
    await emulator.clock.advance(1);
    expect(await read(taskId)).toMatchObject({
      status: "timeout",
      error: expect.any(String),
      error_code: "upstream_provider_error",
      retryable: true,
      retry_after_seconds: null,
      completed_at: "2026-01-01T01:00:00.001Z",
    });
    expect(await balance()).toEqual({ available: 100, frozen: 0, total: 100 });
  });

  test.each([
    ["the balance", BALANCE],
    ["the usage", USAGE],
  ])("a look at %s applies it to tasks that nobody reads", async (_, path) => {
    const { create, get, emulator } = createService({ credits: 100 });
    await create(VALID.song, hang);
    await emulator.clock.advance(HOUR + 1);
    await get(path);
    const { accounts } = emulator.snapshot().state as { accounts: object[] };
    expect(accounts[0]).toMatchObject({ ledger: { available: 100, frozen: 0 } });
  });

  test("a read of a task that the account does not have changes nothing", async () => {
    const { create, get, emulator } = createService({ credits: 100 });
    await create(VALID.song, hang);
    await emulator.clock.advance(HOUR + 1);
    expect((await get(`${TASK}/00000000-0000-4000-8000-000000000000`)).status).toBe(404);
    const { accounts } = emulator.snapshot().state as { accounts: object[] };
    expect(accounts[0]).toMatchObject({ ledger: { available: 90, frozen: 10 } });
  });

  test("a creation that needs the credits finds them refunded", async () => {
    const { create, post, emulator } = createService({ credits: 10 });
    await create(VALID.song, hang);
    expect((await post(VALID.song)).status).toBe(402);
    await emulator.clock.advance(HOUR + 1);
    expect((await post(VALID.song)).status).toBe(202);
  });

  test("refunds come in the order in which the tasks reached it, each at its own time", async () => {
    const { create, balance, emulator } = createService({ credits: 100 });
    const ids = [];
    for (let minute = 0; minute < 3; minute++) {
      ids.push(await create(VALID.lyrics, hang));
      await emulator.clock.advance(60 * SECOND);
    }
    await emulator.clock.advance(HOUR);
    await balance();
    const refunds = emulator.accounts.get(emulator.accountId).ledger.filter(({ kind }) => kind === "refund");
    expect(refunds.map(({ task_id }) => task_id)).toEqual(ids);
    expect(refunds.map(({ at }) => at)).toEqual([
      "2026-01-01T01:00:00.001Z",
      "2026-01-01T01:01:00.001Z",
      "2026-01-01T01:02:00.001Z",
    ]);
  });

  test("finds a task behind a thousand that are long over", async () => {
    const { create, read, balance, emulator } = createService({ credits: 10_000 });
    const over = [];
    for (let lyrics = 0; lyrics < 1_001; lyrics++) over.push(await create(VALID.lyrics, { polls: 1 }));
    const taskId = await create(VALID.song, hang);
    for (const id of over) await read(id);
    expect((await balance()).frozen).toBe(10);
    await emulator.clock.advance(HOUR + 1);
    expect((await balance()).frozen).toBe(0);
    expect((await read(taskId)).status).toBe("timeout");
  });

  test("what one policy spared is timed out under the next, here as in a fork", async () => {
    const { emulator, create, balance } = createService({ policy: { late_success: "success" } });
    const late = await create(VALID.song, { process_seconds: 10 });
    await emulator.clock.advance(HOUR + 1);
    for (const _ of [1, 2]) expect((await balance()).frozen).toBe(10);
    const fork = emulator.fork();
    const views = [emulator, fork].map((each) => {
      each.changePolicy({ late_success: "timeout" });
      const { accounts, tasks } = each.state();
      expect(accounts[0]?.balance).toEqual({ available: 1000, frozen: 0, total: 1000 });
      expect(tasks.map(({ task_id, status }) => [task_id, status])).toEqual([[late, "timeout"]]);
      return accounts;
    });
    expect(views[0]).toEqual(views[1]);
  });

  test("what one policy spared and was then read stays a success under the next", async () => {
    const { emulator, create, read, balance } = createService({
      credits: 100,
      policy: { late_success: "success" },
    });
    const taskId = await create(VALID.song, { process_seconds: 10 });
    await emulator.clock.advance(HOUR + 1);
    await balance();
    expect((await read(taskId)).status).toBe("success");
    emulator.changePolicy({ late_success: "timeout" });
    for (const _ of [1, 2]) expect(await balance()).toEqual({ available: 90, frozen: 0, total: 90 });
    expect((await read(taskId)).status).toBe("success");
  });

  test("what is looked at when its hour is just over is not spared for that", async () => {
    const { emulator, create, balance } = createService({ policy: { late_success: "success" } });
    await create(VALID.song, hang);
    await emulator.clock.advance(HOUR);
    expect((await balance()).frozen).toBe(10);
    await emulator.clock.advance(1);
    expect((await balance()).frozen).toBe(0);
  });

  test("what its provider finishes with the hour is spared, and what takes longer is not", async () => {
    const { emulator, create, balance } = createService({ policy: { late_success: "success" } });
    await create(VALID.song, { queue_seconds: 0, process_seconds: 3600 });
    await create(VALID.lyrics, { queue_seconds: 1, process_seconds: 3600 });
    await create(VALID.upload, { polls: 1 });
    await emulator.clock.advance(HOUR + 1);
    expect((await balance()).frozen).toBe(10);
  });

  test("policy late_success: what had finished in time is a success when it is read late, or a timeout", async () => {
    for (const late of ["timeout", "success"] as const) {
      const { create, read, balance, emulator } = createService({
        credits: 100,
        policy: { late_success: late },
      });
      const inTime = await create(VALID.song, { process_seconds: 3600 });
      const tooLate = await create(VALID.song, { process_seconds: 3601 });
      await emulator.clock.advance(2 * HOUR);
      expect((await balance()).frozen).toBe(late === "success" ? 10 : 0);
      expect((await read(inTime)).status).toBe(late);
      expect((await read(tooLate)).status).toBe("timeout");
      expect((await balance()).total).toBe(late === "success" ? 90 : 100);
    }
  });

  test("policy timeout_error_code and timeout_retryable are what a timeout says", async () => {
    const { create, read, emulator } = createService({
      policy: { timeout_error_code: "rate_limited", timeout_retryable: false },
    });
    const taskId = await create(VALID.song, hang);
    await emulator.clock.advance(HOUR + 1);
    expect(await read(taskId)).toMatchObject({ error_code: "rate_limited", retryable: false });
  });
});

test.each([{ outcome: "success" }, { outcome: "failure" }])(
  "policy running_after holds up no end: a first read that finds %j says so",
  async (outcome) => {
    const { create, read, emulator } = createService({ policy: { running_after: "first_read" } });
    const taskId = await create(VALID.song, { ...outcome, process_seconds: 10 });
    await emulator.clock.advance(HOUR / 2);
    expect((await read(taskId)).status).toBe(outcome.outcome);
  },
);

describe("a clip that is named", () => {
  const failure = { status: "failure", error_code: "invalid_task_input", retryable: false };
  const success = { status: "success" };
  const continued = (id: string) => ({ ...VALID.song, input: { continue_clip_id: id } });
  const whole = (id: string) => ({ ...VALID.concat, input: { clip_id: id } });

  test.each([
    ["a continuation of a song", VALID.song, continued, success],
    ["a continuation of an upload", VALID.upload, continued, success],
    ["the whole of a song", VALID.song, whole, success],
    ["the whole of an upload", VALID.upload, whole, failure],
  ])("%s: its end is %j", async (_, source, use, end) => {
    const { create, read } = createService();
    const { output } = await read(await create(source, { polls: 1 }));
    const [clip] = output.result;
    expect(await read(await create(use(clip.id), { polls: 1 }))).toMatchObject(end);
  });

  test.each([continued, whole])("has to be there, and the account's own", async (use) => {
    const { create, read, emulator } = createService();
    const { output } = await read(await create(VALID.song, { polls: 1 }));
    expect(await read(await create(use("no such clip"), { polls: 1 }))).toMatchObject(failure);
    const { api_key: apiKey } = emulator.accounts.create({ credits: 100 });
    const stranger = serviceOf(emulator, { apiKey });
    const taskId = await stranger.create(use(output.result[0].id), { polls: 1 });
    expect(await stranger.read(taskId)).toMatchObject(failure);
  });
});

test("policy running_after: a first read makes a waiting task running, or the provider's work does", async () => {
  for (const after of ["provider", "first_read"] as const) {
    const { create, read, emulator } = createService({ policy: { running_after: after } });
    const taskId = await create(VALID.song, { queue_seconds: 10 });
    expect((await read(taskId)).status).toBe(after === "provider" ? "pending" : "running");
    emulator.changePolicy({ running_after: "provider" });
    expect((await read(taskId)).status).toBe(after === "provider" ? "pending" : "running");
  }
});

describe("what is scripted for nobody", () => {
  test.each([
    ["a song", VALID.song, 30, 300],
    ["a song of provider_b", VALID.providerB, 30, 300],
    ["lyrics", VALID.lyrics, 5, 15],
    ["an upload", VALID.upload, 5, 20],
  ])("%s succeeds within its usual time", async (_, body, shortest, longest) => {
    for (let seed = 0; seed < 20; seed++) {
      const { create, read, emulator } = createService({ seed });
      const taskId = await create(body);
      await emulator.clock.advance(longest * SECOND);
      const { status, created_at, completed_at } = await read(taskId);
      const seconds = (Date.parse(completed_at) - Date.parse(created_at)) / SECOND;
      expect(status).toBe("success");
      expect(seconds).toBeGreaterThanOrEqual(shortest);
      expect(seconds).toBeLessThanOrEqual(longest);
    }
  });

  test("songs take different times, most of them around a minute and a half", async () => {
    const { create, read, emulator } = createService({ credits: 10_000 });
    const ids = [];
    for (let song = 0; song < 200; song++) ids.push(await create());
    await emulator.clock.advance(300 * SECOND);
    const seconds = [];
    for (const id of ids)
      seconds.push((Date.parse((await read(id)).completed_at) - Date.UTC(2026, 0, 1)) / SECOND);
    seconds.sort((a, b) => a - b);
    expect(seconds[100]).toBeGreaterThan(75);
    expect(seconds[100]).toBeLessThan(110);
    expect(new Set(seconds).size).toBeGreaterThan(150);
  });
});

test("a task is known by its id in capitals, too", async () => {
  const { create, get } = createService();
  const taskId = await create();
  expect((await get(`${TASK}/${taskId.toUpperCase()}`)).body.data.task_id).toBe(taskId);
});
