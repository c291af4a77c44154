import { describe, expect, test } from "vitest";
import {
  BALANCE,
  clipsOf,
  createService,
  type Service,
  serviceOf,
  TASK,
  USAGE,
  VALID,
} from "./support/service.js";

const SECOND = 1000;
const HOUR = 3_600_000;
const HANG = { outcome: "hang" };
const LATE_SUCCESS = { policy: { late_success: "success" } } as const;

/** The first account's credits as they are stored: this reads no task and moves none. */
const storedBalance = ({ emulator }: Service) => {
  const { accounts } = emulator.snapshot().state as {
    accounts: { ledger: { available: number; frozen: number } }[];
  };
  return [accounts[0]?.ledger.available, accounts[0]?.ledger.frozen];
};

test("a song is pending, then running, then a success", async () => {
  const { create, read, advance } = createService();
  const song = { ...VALID.song, audio_format: "mp3" };
  const taskId = await create(song, { queue_seconds: 10, process_seconds: 40 });
  const common = {
    ...{ task_id: taskId, model: "provider_a", type: "music", credits_cost: 10 },
    ...{ input: VALID.song.input, audio_format: "mp3", created_at: "2026-01-01T00:00:00.000Z" },
    ...{ error: null, error_code: null, retryable: null, retry_after_seconds: null },
  };
  expect(await read(taskId)).toEqual({ ...common, status: "pending", output: null, completed_at: null });

  await advance(10 * SECOND - 1);
  expect((await read(taskId)).status).toBe("pending");
  await advance(1);
  const processing = { status: "processing", progress: "0%" };
  const output = { task_type: "music", ...processing, fail_reason: null, result: null };
  expect(await read(taskId)).toEqual({ ...common, status: "running", output, completed_at: null });
  await advance(20 * SECOND);
  expect((await read(taskId)).output.progress).toBe("50%");
  await advance(20 * SECOND - 1);
  expect((await read(taskId)).status).toBe("running");
  await advance(1);

  const completed = { ...output, status: "completed", progress: "100%" };
  const clip = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    audio_url: expect.stringMatching(/^https:\/\/api\.async-music\.test\//),
    image_url: expect.stringMatching(/^https:\/\/provider-a\.test\//),
    image_large_url: expect.stringMatching(/^https:\/\/provider-a\.test\//),
    title: expect.any(String),
    metadata: { duration: expect.any(Number), tags: "", prompt: "", model_version: "v6" },
  };
  const ended = { status: "success", completed_at: "2026-01-01T00:00:50.000Z" };
  expect(await read(taskId)).toEqual({ ...common, ...ended, output: { ...completed, result: [clip, clip] } });
});

test("the result of a finished task never changes", async () => {
  const { create, read, advance } = createService();
  const taskId = await create(VALID.song, { polls: 1 });
  const first = await read(taskId);
  await advance(30 * 24 * HOUR);
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
])("a title that is %s is a string on the clip and unchanged in the input", async (_, title, shown) => {
  const { create, read } = createService();
  const input = { tags: "fado", title };
  const task = await read(await create({ ...VALID.custom, input }, { polls: 1 }));
  expect(task.output.result[0].title).toBe(shown);
  expect(task.input).toEqual(input);
});

test("fields that inspiration mode ignores do not appear on the clip", async () => {
  const ignored = { title: "Ignored", tags: "ignored", prompt: "ignored" };
  const clips = await clipsOf(createService(), { ...VALID.song, input: { ...VALID.song.input, ...ignored } });
  expect(JSON.stringify(clips)).not.toMatch(/ignored/i);
});

test("a task is found by its id in upper case", async () => {
  const { create, get } = createService();
  const taskId = await create();
  expect((await get(`${TASK}/${taskId.toUpperCase()}`)).body.data.task_id).toBe(taskId);
});

describe("the credits of a finished task", () => {
  test("a success settles them at the read that finds it, and not before", async () => {
    const { create, read, balance, advance, ledgerKinds } = createService({ credits: 100 });
    const taskId = await create(VALID.song, { process_seconds: 30 });
    await advance(HOUR);
    expect(await balance()).toEqual({ available: 90, frozen: 10, total: 100 });
    expect((await read(taskId)).status).toBe("success");
    expect(await balance()).toEqual({ available: 90, frozen: 0, total: 90 });
    expect(ledgerKinds()).toEqual(["top_up", "freeze", "settle"]);
  });

  test("a failure refunds them, and states its reason", async () => {
    const { create, read, balance, get } = createService({ credits: 100 });
    const reason = { error: "No", error_code: "rate_limited", retryable: true, retry_after_seconds: 90 };
    const taskId = await create(VALID.song, { outcome: "failure", process_seconds: 0, ...reason });
    expect((await balance()).frozen).toBe(10);
    expect(await read(taskId)).toMatchObject({
      ...reason,
      status: "failure",
      credits_cost: 10,
      completed_at: "2026-01-01T00:00:00.000Z",
      output: { status: "failed", fail_reason: "No", result: null },
    });
    expect(await balance()).toEqual({ available: 100, frozen: 0, total: 100 });
    const usage = (await get(USAGE)).body.data;
    expect(usage).toEqual({ tasks_created: 1, credits_used: 10, credits_topped_up: 100 });
  });

  test.each([
    ["settle", "success"],
    ["refund", "failure"],
  ])("a thousand concurrent reads %s them once", async (end, outcome) => {
    const { create, read, advance, ledgerKinds } = createService({ credits: 100 });
    const taskId = await create(VALID.song, { process_seconds: 1, outcome });
    await advance(SECOND);
    const reads = await Promise.all(Array.from({ length: 1000 }, () => read(taskId)));
    expect(new Set(reads.map((task) => JSON.stringify(task))).size).toBe(1);
    expect(ledgerKinds()).toEqual(["top_up", "freeze", end]);
  });
});

describe("the task timeout", () => {
  test("comes 1 ms after an hour, and not before", async () => {
    const { create, read, balance, advance } = createService({ credits: 100 });
    const taskId = await create(VALID.song, HANG);
    await advance(HOUR);
    expect((await read(taskId)).status).toBe("running");
    await advance(1);
    expect(await read(taskId)).toMatchObject({
      ...{ status: "timeout", completed_at: "2026-01-01T01:00:00.001Z", error: expect.any(String) },
      ...{ error_code: "upstream_provider_error", retryable: true, retry_after_seconds: null },
    });
    expect(await balance()).toEqual({ available: 100, frozen: 0, total: 100 });
  });

  test.each([
    ["the balance applies it to every task", 200, BALANCE, [100, 0]],
    ["the usage applies it to every task", 200, USAGE, [100, 0]],
    ["an unknown task changes nothing", 404, `${TASK}/00000000-0000-4000-8000-000000000000`, [90, 10]],
  ])("a read of %s", async (_, status, path, stored) => {
    const service = createService({ credits: 100 });
    await service.create(VALID.song, HANG);
    await service.advance(HOUR + 1);
    expect((await service.get(path)).status).toBe(status);
    expect(storedBalance(service)).toEqual(stored);
  });

  test("refunds tasks in the order in which they timed out, each at its own time", async () => {
    const { create, balance, advance, emulator } = createService({ credits: 100 });
    const ids = [];
    for (let minute = 0; minute < 3; minute++) {
      ids.push(await create(VALID.lyrics, HANG));
      await advance(60 * SECOND);
    }
    await advance(HOUR);
    await balance();
    const refunds = emulator.accounts.get(emulator.accountId).ledger.filter(({ kind }) => kind === "refund");
    const expected = ids.map((task_id, minute) => ({ task_id, at: `2026-01-01T01:0${minute}:00.001Z` }));
    expect(refunds).toMatchObject(expected);
  });

  test("finds an unfinished task after a thousand finished ones", async () => {
    const { create, read, balance, advance } = createService({ credits: 10_000 });
    const finished = [];
    for (let lyrics = 0; lyrics < 1_001; lyrics++) finished.push(await create(VALID.lyrics, { polls: 1 }));
    const taskId = await create(VALID.song, HANG);
    for (const id of finished) await read(id);
    expect((await balance()).frozen).toBe(10);
    await advance(HOUR + 1);
    expect((await balance()).frozen).toBe(0);
    expect((await read(taskId)).status).toBe("timeout");
  });

  test("a task that `late_success` kept open times out when the policy changes, also in a fork", async () => {
    const { emulator, create, balance, advance } = createService(LATE_SUCCESS);
    const late = await create(VALID.song, { process_seconds: 10 });
    await advance(HOUR + 1);
    for (const _ of [1, 2]) expect((await balance()).frozen).toBe(10);
    const [accounts, forked] = [emulator, emulator.fork()].map((each) => {
      each.changePolicy({ late_success: "timeout" });
      const { accounts, tasks } = each.state();
      expect(accounts[0]?.balance).toEqual({ available: 1000, frozen: 0, total: 1000 });
      expect(tasks.map(({ task_id, status }) => [task_id, status])).toEqual([[late, "timeout"]]);
      return accounts;
    });
    expect(accounts).toEqual(forked);
  });

  test("a late success that was read stays a success when the policy changes", async () => {
    const { emulator, create, read, balance, advance } = createService({ credits: 100, ...LATE_SUCCESS });
    const taskId = await create(VALID.song, { process_seconds: 10 });
    await advance(HOUR + 1);
    await balance();
    expect((await read(taskId)).status).toBe("success");
    emulator.changePolicy({ late_success: "timeout" });
    for (const _ of [1, 2]) expect(await balance()).toEqual({ available: 90, frozen: 0, total: 90 });
    expect((await read(taskId)).status).toBe("success");
  });

  test("a read at exactly one hour does not keep a task open", async () => {
    const { create, balance, advance } = createService(LATE_SUCCESS);
    await create(VALID.song, HANG);
    await advance(HOUR);
    expect((await balance()).frozen).toBe(10);
    await advance(1);
    expect((await balance()).frozen).toBe(0);
  });

  test("policy late_success keeps open what the provider finishes within the hour, and nothing else", async () => {
    const { create, balance, advance } = createService(LATE_SUCCESS);
    await create(VALID.song, { queue_seconds: 0, process_seconds: 3600 });
    await create(VALID.lyrics, { queue_seconds: 1, process_seconds: 3600 });
    await create(VALID.upload, { polls: 1 });
    await advance(HOUR + 1);
    expect((await balance()).frozen).toBe(10);
  });

  test.each([
    ["timeout", 0, 100],
    ["success", 10, 90],
  ] as const)("late_success: a task ended in time and read late is a %s", async (late, ...credits) => {
    const policy = { late_success: late };
    const { create, read, balance, advance } = createService({ credits: 100, policy });
    const inTime = await create(VALID.song, { process_seconds: 3600 });
    const tooLate = await create(VALID.song, { process_seconds: 3600.001 });
    await advance(24 * HOUR);
    const { frozen } = await balance();
    expect([(await read(inTime)).status, (await read(tooLate)).status]).toEqual([late, "timeout"]);
    expect([frozen, (await balance()).total]).toEqual(credits);
  });

  test("states what policy timeout_error_code and timeout_retryable say", async () => {
    const policy = { timeout_error_code: "rate_limited", timeout_retryable: false } as const;
    const { create, read, advance } = createService({ policy });
    const taskId = await create(VALID.song, HANG);
    await advance(HOUR + 1);
    expect(await read(taskId)).toMatchObject({ error_code: "rate_limited", retryable: false });
  });
});

test.each(["success", "failure"])(
  "policy running_after does not delay an end: a first read can return %s",
  async (outcome) => {
    const { create, read, advance } = createService({ policy: { running_after: "first_read" } });
    const taskId = await create(VALID.song, { outcome, process_seconds: 10 });
    await advance(HOUR / 2);
    expect((await read(taskId)).status).toBe(outcome);
  },
);

test.each([
  ["provider", "pending"],
  ["first_read", "running"],
] as const)("policy running_after %s: the first read of a queued task returns %s", async (after, status) => {
  const { create, read, emulator } = createService({ policy: { running_after: after } });
  const taskId = await create(VALID.song, { queue_seconds: 10 });
  expect((await read(taskId)).status).toBe(status);
  emulator.changePolicy({ running_after: "provider" });
  expect((await read(taskId)).status).toBe(status);
});

describe("a task that uses a clip", () => {
  const failure = { status: "failure", error_code: "invalid_task_input", retryable: false };
  const success = { status: "success" };
  const continued = (id: string) => ({ ...VALID.song, input: { continue_clip_id: id } });
  const whole = (id: string) => ({ ...VALID.concat, input: { clip_id: id } });

  test.each([
    ["a continuation of a song", VALID.song, continued, success],
    ["a continuation of an upload", VALID.upload, continued, success],
    ["a concat of a song", VALID.song, whole, success],
    ["a concat of an upload", VALID.upload, whole, failure],
  ])("%s ends with %j", async (_, source, use, end) => {
    const service = createService();
    const [clip] = await clipsOf(service, source);
    expect(await service.read(await service.create(use(clip.id), { polls: 1 }))).toMatchObject(end);
  });

  test.each([continued, whole])("fails when the clip does not exist or is another account's", async (use) => {
    const service = createService();
    const [clip] = await clipsOf(service);
    const { api_key: apiKey } = service.emulator.accounts.create({ credits: 100 });
    const other = serviceOf(service.emulator, { apiKey });
    for (const [{ create, read }, id] of [
      [service, "no such clip"],
      [other, clip.id],
    ] as const)
      expect(await read(await create(use(id), { polls: 1 }))).toMatchObject(failure);
  });
});

describe("without a scripted outcome", () => {
  test.each([
    ["a song", VALID.song, 30, 300],
    ["a song of provider_b", VALID.providerB, 30, 300],
    ["lyrics", VALID.lyrics, 5, 15],
    ["an upload", VALID.upload, 5, 20],
  ])("%s succeeds within its usual time", async (_, body, shortest, longest) => {
    for (let seed = 0; seed < 20; seed++) {
      const { create, read, advance } = createService({ seed });
      const taskId = await create(body);
      await advance(longest * SECOND);
      const { status, created_at, completed_at } = await read(taskId);
      const seconds = (Date.parse(completed_at) - Date.parse(created_at)) / SECOND;
      expect(status).toBe("success");
      expect(seconds).toBeGreaterThanOrEqual(shortest);
      expect(seconds).toBeLessThanOrEqual(longest);
    }
  });

  test("songs take different times, with a median of about 90 s", async () => {
    const { create, read, advance } = createService({ credits: 10_000 });
    const ids = [];
    for (let song = 0; song < 200; song++) ids.push(await create());
    await advance(300 * SECOND);
    const tasks = await Promise.all(ids.map(read));
    const seconds = tasks.map((task) => (Date.parse(task.completed_at) - Date.UTC(2026, 0, 1)) / SECOND);
    seconds.sort((a, b) => a - b);
    expect(seconds[100]).toBeGreaterThan(75);
    expect(seconds[100]).toBeLessThan(110);
    expect(new Set(seconds).size).toBeGreaterThan(150);
  });
});
