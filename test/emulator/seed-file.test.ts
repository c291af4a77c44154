import { createEmulator, type Emulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { findProblems } from "../../emulator/control/compliance.js";
import { POLICY_FIELDS } from "../../emulator/core/policy-fields.js";
import { TASK_ERROR_CODES, TASK_STATUSES } from "../../src/contract/service.js";

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** A song in a seed file. */
const song = (fields: object) => ({
  model: "provider_a",
  task_type: "music",
  input: { tags: "polka" },
  ...fields,
});
const withTasks = (...tasks: object[]) => ({ accounts: [{ tasks }] });
const withAccount = (account: object) => ({ accounts: [account] });

/** Sends a request with an account's key. Returns the status and the data, or the error. */
async function send(emulator: Emulator, path: string, init: RequestInit = {}, apiKey = emulator.apiKey) {
  const headers = { "x-api-key": apiKey, "Content-Type": "application/json", ...init.headers };
  const response = await emulator.fetch(`${emulator.url}/api/v1${path}`, { ...init, headers });
  const body = await response.json();
  return { status: response.status, data: body.data, body };
}

const read = async (emulator: Emulator, index = 0) =>
  (await send(emulator, `/task/${emulator.state().tasks[index]?.task_id}`)).data;
const balance = async (emulator: Emulator) => (await send(emulator, "/account/balance")).data;

describe("a task of a seed file", () => {
  test.each(TASK_STATUSES)("has the status %s before and after a read", async (status) => {
    const emulator = createEmulator({ seedFile: withTasks(song({ status })) });
    expect(emulator.state().tasks[0]?.status).toBe(status);
    expect((await read(emulator)).status).toBe(status);
  });

  test.each([
    ["pending", 10, ["freeze"]],
    ["running", 10, ["freeze"]],
    ["success", 0, ["freeze", "settle"]],
    ["failure", 0, ["freeze", "refund"]],
    ["timeout", 0, ["freeze", "refund"]],
  ])("%s: %i credits are frozen, and the ledger has its movements", async (status, frozen, kinds) => {
    const emulator = createEmulator({ seedFile: withAccount({ credits: 70, tasks: [song({ status })] }) });
    const [account] = emulator.accounts.list();
    expect(account?.balance).toEqual({ available: 70, frozen, total: 70 + frozen });
    expect(account?.ledger.map(({ kind }) => kind)).toEqual(["top_up", ...kinds]);
    const times = account?.ledger.map(({ at }) => at) ?? [];
    expect(times.slice(0, 2)).toEqual(Array(2).fill(emulator.state().tasks[0]?.created_at));
    expect(times).toEqual([...times].sort());
    expect(account?.usage).toMatchObject({ tasks_created: 1, credits_used: 10 });
  });

  test.each(["pending", "running"])(
    "%s for half an hour stays so for a while, then ends, and settles its credits",
    async (status) => {
      const emulator = createEmulator({ seedFile: withTasks(song({ status, created_ago: "30m" })) });
      expect((await read(emulator)).status).toBe(status);
      expect(await balance(emulator)).toEqual({ available: 1000, frozen: 10, total: 1010 });
      await emulator.clock.advance(301_000);
      expect((await read(emulator)).status).toBe("success");
      expect(await balance(emulator)).toEqual({ available: 1000, frozen: 0, total: 1000 });
    },
  );

  test("an unfinished one times out an hour after its creation", async () => {
    const tasks = [song({ status: "running", created_ago: "59m", outcome: { outcome: "hang" } })];
    const emulator = createEmulator({ seedFile: withTasks(...tasks) });
    await emulator.clock.advance(60_000);
    expect((await read(emulator)).status).toBe("running");
    await emulator.clock.advance(1);
    expect((await read(emulator)).status).toBe("timeout");
    expect(await balance(emulator)).toEqual({ available: 1010, frozen: 0, total: 1010 });
  });

  test("an unfinished one has the given outcome, counted from its creation", async () => {
    const ended = {
      outcome: "failure",
      error_code: "rate_limited",
      retry_after_seconds: 7,
      process_seconds: 60,
    };
    const tasks = [song({ status: "running", created_ago: "10m", outcome: ended })];
    const emulator = createEmulator({ seedFile: withTasks(...tasks) });
    expect(await read(emulator)).toMatchObject({
      status: "failure",
      error_code: "rate_limited",
      retry_after_seconds: 7,
      completed_at: new Date(NOW - 540_000).toISOString(),
    });
  });

  test("polls of an outcome are counted from the start of the emulator", async () => {
    const tasks = [song({ status: "running", outcome: { polls: 2 } })];
    const emulator = createEmulator({ seedFile: withTasks(...tasks) });
    expect((await read(emulator)).status).toBe("running");
    expect((await read(emulator)).status).toBe("success");
  });

  test.each(TASK_ERROR_CODES)("a failure can have the code %s", async (error_code) => {
    const fields = { status: "failure", error_code, error: "Mine", retryable: false, retry_after_seconds: 3 };
    const emulator = createEmulator({ seedFile: withTasks(song(fields)) });
    expect(await read(emulator)).toMatchObject({ ...fields, output: { result: null } });
  });

  test.each([
    [7 * DAY_MS - 1, 200],
    [7 * DAY_MS, 404],
  ])("audio of a song that is %i ms old is a %i", async (ageMs, status) => {
    const created_at = new Date(NOW - ageMs).toISOString();
    const fields = { status: "success", created_at, process_seconds: 0, clip_ids: ["mine"] };
    const emulator = createEmulator({ seedFile: withTasks(song(fields)) });
    expect((await emulator.fetch(`${emulator.url}/audio/mine`)).status).toBe(status);
  });

  test("a success has the given clips, format and times", async () => {
    const fields = {
      status: "success",
      created_ago: "90s",
      process_seconds: 30,
      storable: false,
      format: "mp3",
    };
    const emulator = createEmulator({
      seedFile: withTasks(song({ ...fields, clip_ids: ["a", "b", "c"], audio_format: "mp3" })),
    });
    const task = await read(emulator);
    expect(task).toMatchObject({ audio_format: "mp3", completed_at: new Date(NOW - 60_000).toISOString() });
    expect(task.output.result.map(({ id }: { id: string }) => id)).toEqual(["a", "b", "c"]);
    expect(task.output.result[0].audio_url).toContain("provider");
  });

  test("finished tasks without a time are an hour apart, in their order, so that a song can be continued", () => {
    const tasks = [
      song({ status: "success", clip_ids: ["first"] }),
      song({ status: "success", clip_ids: ["second"], input: { continue_clip_id: "first" } }),
      song({ status: "success", task_type: "concat", input: { clip_id: "second" } }),
      song({ status: "timeout" }),
    ];
    const emulator = createEmulator({ seedFile: withTasks(...tasks) });
    const created = emulator
      .state()
      .tasks.map(({ created_at: at }) => (NOW - Date.parse(at ?? "")) / 3_600_000);
    expect(created).toEqual([5, 4, 3, 2]);
    expect(emulator.state().tasks.map(({ status }) => status)).toEqual([
      "success",
      "success",
      "success",
      "timeout",
    ]);
  });

  test("a song that ended while an older task was unfinished can be continued", () => {
    const tasks = [
      song({ status: "timeout", created_ago: "120m" }),
      song({ status: "success", created_ago: "90m", clip_ids: ["a"] }),
      song({ status: "success", created_ago: "70m", input: { continue_clip_id: "a" } }),
    ];
    const [account] = createEmulator({ seedFile: withTasks(...tasks) }).accounts.list();
    const kinds = account?.ledger.map(({ kind }) => kind);
    expect(kinds).toEqual(["top_up", "freeze", "freeze", "settle", "freeze", "settle", "refund"]);
  });

  test("a clip has its ID of the file only", () => {
    const first = song({ status: "success", created_ago: "3h" });
    const output = createEmulator({ seedFile: withTasks(first) }).state().tasks[0]?.output;
    const continue_clip_id = Object(output).result[0].id;
    const next = song({ status: "success", created_ago: "1h", input: { continue_clip_id } });
    expect(() => createEmulator({ seedFile: withTasks(first, next) })).not.toThrow();
    expect(() => createEmulator({ seedFile: withTasks({ ...first, clip_ids: ["a"] }, next) })).toThrow(
      "must be a clip of a task",
    );
  });

  test("a failure can name an unknown clip, and has the given code", async () => {
    const fields = {
      status: "failure",
      error_code: "content_moderation",
      input: { continue_clip_id: "none" },
    };
    expect(await read(createEmulator({ seedFile: withTasks(song(fields)) }))).toMatchObject(fields);
  });

  test.each(["success", "failure"])("a %s that was created just now has ended by now", async (status) => {
    const emulator = createEmulator({ seedFile: withTasks(song({ status, created_ago: "2s" })) });
    expect((await read(emulator)).completed_at).toBe(new Date(NOW).toISOString());
  });

  test("tasks of all accounts are listed in the order of their creation", () => {
    const at = (created_ago: string, tags: string) =>
      song({ status: "success", created_ago, input: { tags } });
    const emulator = createEmulator({
      seedFile: {
        accounts: [{ tasks: [at("2h", "c"), at("2d", "a")] }, { tasks: [at("1d", "b"), at("1h", "d")] }],
      },
    });
    expect(emulator.state().tasks.map(({ input }) => Object(input).tags)).toEqual(["a", "b", "c", "d"]);
  });

  test("fixed IDs in upper case are stored in lower case, and found in any case", async () => {
    const task_id = "50000000-0000-4000-8000-00000000000a";
    const account_id = "a11ce000-0000-4000-8000-00000000000b";
    const upper = { account_id: account_id.toUpperCase(), task_id: task_id.toUpperCase() };
    const tasks = [song({ task_id: upper.task_id, status: "success" })];
    const fault = { path: "/no", fault: { kind: "stall" } };
    const create = (id: string, task: object) =>
      createEmulator({ seedFile: withAccount({ account_id: id, tasks: [task], faults: [fault] }) });
    const emulator = create(upper.account_id, tasks[0] ?? {});
    expect(emulator.snapshot()).toEqual(create(account_id, song({ task_id, status: "success" })).snapshot());
    expect(emulator.accountId).toBe(account_id);
    for (const accountId of [account_id, upper.account_id]) {
      expect(emulator.accounts.get(accountId).account_id).toBe(account_id);
      expect(emulator.state({ accountId }).tasks).toMatchObject([{ account_id, task_id }]);
      expect(emulator.faults.list({ accountId })).toHaveLength(1);
    }
    for (const taskId of [task_id, upper.task_id]) {
      expect((await send(emulator, `/task/${taskId}`)).data.task_id).toBe(task_id);
      expect((await emulator.when(taskId, "success")).task_id).toBe(task_id);
    }
  });

  test("IDs of clips are not UUIDs: their case counts", async () => {
    const emulator = createEmulator({
      seedFile: withTasks(song({ status: "success", clip_ids: ["Intro", "intro"] })),
    });
    const clips = (await read(emulator)).output.result;
    expect(clips.map(({ id }: { id: string }) => id)).toEqual(["Intro", "intro"]);
  });

  test("IDs can be fixed, and belong to one account only", async () => {
    const task_id = "50000000-0000-4000-8000-00000000000A";
    const account_id = "a11ce000-0000-4000-8000-000000000000";
    const emulator = createEmulator({
      seedFile: {
        accounts: [
          { account_id, keys: [{ key: "emu_a" }], tasks: [song({ task_id, status: "pending" })] },
          { keys: [{ key: "emu_b" }] },
        ],
      },
    });
    expect([emulator.accountId, emulator.apiKey]).toEqual([account_id, "emu_a"]);
    expect((await send(emulator, `/task/${task_id}`)).status).toBe(200);
    expect((await send(emulator, `/task/${task_id}`, {}, "emu_b")).status).toBe(404);
  });
});

describe("an account of a seed file", () => {
  test("a disabled key and a suspended account are refused", async () => {
    const emulator = createEmulator({
      seedFile: withAccount({
        keys: [{ key: "emu_a" }, { key: "emu_off", disabled: true }],
        suspended: true,
      }),
    });
    const body = JSON.stringify({ model: "provider_b", task_type: "music", input: { prompt: "folk" } });
    expect((await send(emulator, "/task", { method: "POST", body })).body.error_code).toBe(
      "account_suspended",
    );
    expect((await send(emulator, "/account/balance", {}, "emu_off")).body.error_code).toBe("invalid_api_key");
  });

  test("its own policy applies to its tasks, past and later", async () => {
    const tasks = [song({ status: "timeout" })];
    const policy = { timeout_error_code: "rate_limited", audio_conversion: "off" };
    const emulator = createEmulator({
      seedFile: { accounts: [{ tasks }, { keys: [{ key: "emu_b" }], tasks, policy }] },
    });
    expect(emulator.state().tasks.map(({ error_code }) => error_code)).toEqual([
      "upstream_provider_error",
      "rate_limited",
    ]);
    const body = JSON.stringify({ ...song({}), audio_format: "mp3" });
    const statuses = [emulator.apiKey, "emu_b"].map((key) =>
      send(emulator, "/task", { method: "POST", body }, key),
    );
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([202, 400]);
  });

  test("its own outcomes, faults and limits apply to it alone", async () => {
    const own = {
      outcomes: { provider_a: { next: [{ outcome: "reject" }] } },
      faults: [{ path: "/api/v1/account/usage", fault: { kind: "status", status: 500, when: "before" } }],
      limits: { requests: 3 },
    };
    const emulator = createEmulator({
      seedFile: { accounts: [{}, { ...own, keys: [{ key: "emu_b" }] }], limits: { window_seconds: 10 } },
    });
    const body = JSON.stringify({ model: "provider_a", task_type: "music", input: { tags: "polka" } });
    const statusesWith = async (apiKey: string) => {
      const create = await send(emulator, "/task", { method: "POST", body }, apiKey);
      const usage = await send(emulator, "/account/usage", {}, apiKey);
      return [create.status, usage.status];
    };
    expect(await statusesWith(emulator.apiKey)).toEqual([202, 200]);
    expect(await statusesWith("emu_b")).toEqual([502, 500]);
    expect(await statusesWith("emu_b")).toEqual([202, 200]);
    expect(await statusesWith("emu_b")).toEqual([429, 429]);
    expect(emulator.faults.list()).toEqual([]);
    emulator.reset();
    expect(emulator.faults.list()).toMatchObject([{ rule: { account_id: expect.any(String) }, left: 1 }]);
    expect(emulator.limits).toEqual({ requests: 120, windowSeconds: 10 });
  });

  test("its faults are drawn as if they had been added", () => {
    const fault = { probability: 0.5, fault: { kind: "malformed" } } as const;
    const account_id = "a11ce000-0000-4000-8000-000000000000";
    const seeded = createEmulator({ seedFile: withAccount({ account_id, faults: [fault, fault] }) });
    const added = createEmulator({ seedFile: withAccount({ account_id }) });
    for (let times = 0; times < 2; times++) added.faults.add({ ...fault, account_id });
    expect(seeded.snapshot()).toEqual(added.snapshot());
  });

  test("without a field, it has 1000 credits and the key that every emulator with this seed has", async () => {
    const emulator = createEmulator({ seed: 7, seedFile: {} });
    const plain = createEmulator({ seed: 7 });
    expect([emulator.apiKey, emulator.accountId]).toEqual([plain.apiKey, plain.accountId]);
    expect(await balance(emulator)).toEqual({ available: 1000, frozen: 0, total: 1000 });
  });

  test("`apiKey` replaces the first key of the first account", async () => {
    const seedFile = { accounts: [{ keys: [{ key: "emu_a" }, { key: "emu_b" }] }] };
    const emulator = createEmulator({ apiKey: "emu_mine", seedFile });
    const statuses = ["emu_mine", "emu_a", "emu_b"].map((key) => send(emulator, "/account/usage", {}, key));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 401, 200]);
    emulator.reset();
    expect(emulator.apiKey).toBe("emu_mine");
  });
});

describe("the policy of the file applies to its tasks, not the option `policy`", () => {
  const tasks = [
    song({ status: "timeout" }),
    song({ status: "success", audio_format: "mp3" }),
    song({ status: "failure" }),
    song({ status: "running" }),
  ];
  const seedFile = {
    policy: { timeout_error_code: "invalid_task_input" },
    accounts: [{ tasks }, { keys: [{ key: "emu_b" }], tasks, policy: { timeout_retryable: false } }],
  };
  const storedTasks = (emulator: Emulator) => Object(emulator.snapshot().state).tasks;
  const choices = Object.entries(POLICY_FIELDS).flatMap(([name, { choices }]) =>
    choices.map((choice) => [`${name}: ${choice}`, { [name]: choice }] as const),
  );

  test.each([...choices, ["vary", "vary"] as const])("%s", (_, policy) => {
    const plain = createEmulator({ seedFile });
    const emulator = createEmulator({ seedFile, policy });
    expect(storedTasks(emulator)).toEqual(storedTasks(plain));
    plain.reset({ policy });
    expect(plain.snapshot()).toEqual(emulator.snapshot());
  });

  test("the option applies to everything later, except for what an account of the file has set", async () => {
    const policy = { timeout_error_code: "rate_limited", audio_conversion: "failing" } as const;
    const emulator = createEmulator({ seedFile, policy });
    const timeouts = () => emulator.state().tasks.filter(({ status }) => status === "timeout");
    const atStart = { error_code: "invalid_task_input" };
    expect(timeouts()).toMatchObject([atStart, { ...atStart, retryable: false }]);
    const [audioUrl] = emulator
      .state()
      .tasks.filter(({ status }) => status === "success")
      .map(({ output }) => Object(output).result[0].audio_url);
    expect((await emulator.fetch(audioUrl)).headers.get("Content-Type")).toBe("audio/mpeg");

    expect(emulator.policy).toMatchObject(policy);
    const init = { method: "POST", body: JSON.stringify(song({})) };
    for (const key of [emulator.apiKey, "emu_b"]) {
      emulator.providers.provider_a.next({ outcome: "hang" });
      await send(emulator, "/task", init, key);
    }
    await emulator.clock.advance(3_600_001);
    expect(timeouts().slice(-2)).toMatchObject([
      { error_code: "rate_limited", retryable: true },
      { error_code: "rate_limited", retryable: false },
    ]);
  });
});

describe("an emulator with a seed file", () => {
  const world = {
    time: "2027-05-01T12:00:00Z",
    accounts: [
      { credits: 20, tasks: TASK_STATUSES.map((status) => song({ status })) },
      { credits: 5, tasks: [song({ status: "success", created_ago: "3d" })] },
    ],
    outcomes: { provider_a: { next: [{ outcome: "reject" }], always: { polls: 1 } } },
    faults: [{ method: "GET", path: "/api/v1/account/usage", fault: { kind: "disconnect", when: "before" } }],
    policy: { timeout_error_code: "rate_limited", timeout_retryable: false },
    limits: { requests: 7, window_seconds: 3 },
  };

  test("begins at its time, with its policy, limits, faults and outcomes", async () => {
    const emulator = createEmulator({ seedFile: world });
    expect(emulator.clock.now()).toBe(Date.parse(world.time));
    expect(emulator.policy).toMatchObject(world.policy);
    expect(emulator.limits).toEqual({ requests: 7, windowSeconds: 3 });
    await expect(send(emulator, "/account/usage")).rejects.toThrow(TypeError);
    const body = JSON.stringify({ model: "provider_a", task_type: "music", input: { tags: "polka" } });
    expect((await send(emulator, "/task", { method: "POST", body })).status).toBe(502);
    const created = await send(emulator, "/task", { method: "POST", body });
    expect((await send(emulator, `/task/${created.data.task_id}`)).data.status).toBe("success");
    expect(emulator.state().tasks.find(({ status }) => status === "timeout")?.error_code).toBe(
      "rate_limited",
    );
  });

  test("the policy and limits of the options take precedence", () => {
    const emulator = createEmulator({
      seedFile: world,
      policy: { timeout_retryable: true },
      limits: { requests: 9 },
    });
    expect(emulator.policy).toMatchObject({ timeout_error_code: "rate_limited", timeout_retryable: true });
    expect(emulator.limits).toEqual({ requests: 9, windowSeconds: 3 });
  });

  test("the same file and seed give the same bytes, and another seed gives other IDs", () => {
    const bytes = (seed: number) => JSON.stringify(createEmulator({ seed, seedFile: world }).snapshot());
    expect(bytes(3)).toBe(bytes(3));
    expect(bytes(4)).not.toBe(bytes(3));
  });

  test("its snapshot restores elsewhere, and behaves the same", async () => {
    const emulator = createEmulator({ seedFile: world });
    const other = createEmulator({ snapshot: JSON.parse(JSON.stringify(emulator.snapshot())) });
    for (const each of [emulator, other]) await each.clock.advance(100_000);
    expect(await read(other, 5)).toEqual(await read(emulator, 5));
    expect(other.snapshot()).toEqual(emulator.snapshot());
  });

  test("a reset returns to it, in process and over HTTP, even if the caller's object has changed", async () => {
    const file = structuredClone(world);
    const emulator = createEmulator({ seedFile: file });
    const before = JSON.stringify(emulator.snapshot());
    file.accounts.length = 0;
    await emulator.clock.advance(DAY_MS);
    emulator.accounts.create();
    emulator.reset();
    expect(JSON.stringify(emulator.snapshot())).toBe(before);
    await emulator.clock.advance(DAY_MS);
    await emulator.fetch(`${emulator.url}/_emulator/reset`, { method: "POST" });
    expect(JSON.stringify(emulator.snapshot())).toBe(before);
    expect(emulator.fork().snapshot()).toEqual(JSON.parse(before));
  });

  test("shares nothing with the caller's object", () => {
    const title = ["Rain"];
    const tasks = [song({ status: "success", input: { tags: "polka", title } })];
    const emulator = createEmulator({ seedFile: withTasks(...tasks) });
    title.push("Snow");
    expect(emulator.state().tasks[0]?.input).toMatchObject({ title: ["Rain"] });
  });

  test("a reset refuses `credits`, in process and over HTTP, and changes nothing", async () => {
    const emulator = createEmulator({ seedFile: world });
    const before = JSON.stringify(emulator.snapshot());
    expect(() => emulator.reset({ credits: 5 })).toThrow("`credits` can't be combined with `seedFile`");
    const response = await emulator.fetch(`${emulator.url}/_emulator/reset`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{ "credits": 5 }',
    });
    expect(response.status).toBe(400);
    expect(JSON.stringify(emulator.snapshot())).toBe(before);
  });

  test("the check of a test ignores its unused faults and outcomes", () => {
    const emulator = createEmulator({ seedFile: world });
    expect(findProblems(emulator, {}, String)).toBeNull();
    emulator.reset();
    expect(findProblems(emulator, {}, String)).toBeNull();
  });

  test("a real clock begins at its time, and continues", () => {
    const emulator = createEmulator({ clock: "real", seedFile: { time: "2027-05-01T12:00:00Z" } });
    expect(emulator.clock.now() - Date.UTC(2027, 4, 1, 12)).toBeLessThan(60_000);
    expect(emulator.clock.now()).toBeGreaterThanOrEqual(Date.UTC(2027, 4, 1, 12));
  });
});

const PENDING = song({ status: "pending" });
const ID = "a0000000-0000-4000-8000-00000000000b";
const CLIP = "seedFile.accounts[0].tasks[1].input";

test.each<[string, unknown]>([
  ["`seedFile` must be an object; got 5.", 5],
  ["Unknown field `acounts` in `seedFile`. Did you mean `accounts`?", { acounts: [] }],
  ["`seedFile.accounts` must have at least one account, or be omitted", { accounts: [] }],
  ["`seedFile.time` must be an ISO 8601 time in UTC", { time: "2026-01-01T00:00:00+01:00" }],
  ["`seedFile.time` must be an ISO 8601 time in UTC", { time: "1969-12-31T00:00:00Z" }],
  ["`seedFile.accounts[0].credits` must be a whole number from 0", withAccount({ credits: -1 })],
  [
    "`seedFile.accounts[0].credits` must be at most 999999999990",
    withAccount({ credits: 1e12, tasks: [PENDING] }),
  ],
  ["`seedFile.accounts[0].keys` must have at least one key", withAccount({ keys: [] })],
  [
    "`seedFile.accounts[0].keys[1].key` must begin with `emu_`",
    withAccount({ keys: [{ key: "emu_a" }, { key: "k" }] }),
  ],
  [
    "Unknown field `disable` in `seedFile.accounts[0].keys[0]`. Did",
    withAccount({ keys: [{ key: "emu_a", disable: true }] }),
  ],
  [
    "`seedFile.accounts[1].keys[0].key` must differ from `seedFile.accounts[0].keys[1].key`",
    { accounts: [{ keys: [{ key: "emu_a" }, { key: "emu_b" }] }, { keys: [{ key: "emu_b" }] }] },
  ],
  [
    "`seedFile.accounts[0].tasks[1].status` must be one of pending, running, success, failure, timeout; got `done`",
    withTasks(PENDING, song({ status: "done" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].error_code` must be omitted unless `status` is failure",
    withTasks(song({ status: "success", error_code: "rate_limited" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].outcome` must be omitted unless `status` is pending or running",
    withTasks(song({ status: "failure", outcome: {} })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].outcome.outcome` must be success, failure or hang",
    withTasks(song({ status: "pending", outcome: { outcome: "reject" } })),
  ],
  [
    "Unknown field `pols` in `seedFile.accounts[0].tasks[0].outcome`. Did you mean `polls`?",
    withTasks(song({ status: "pending", outcome: { pols: 1 } })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].created_ago` must be a duration such as",
    withTasks(song({ status: "success", created_ago: "8 days" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].created_ago` must be omitted if `created_at` is set",
    withTasks(song({ status: "success", created_ago: "1h", created_at: "2025-12-01T00:00:00Z" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].created_at` must not be after the emulator's time, which is 2026-01-01T00:00:00.000Z",
    withTasks(song({ status: "success", created_at: "2026-01-01T00:00:01Z" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].created_ago` must not be before 1970",
    withTasks(song({ status: "success", created_ago: "99999d" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].created_ago` must be at most an hour ago",
    withTasks(song({ status: "pending", created_ago: "61m" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].created_ago` must be more than an hour ago",
    withTasks(song({ status: "timeout", created_ago: "1h" })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].process_seconds` must be at most 10, the task's age",
    withTasks(song({ status: "success", created_ago: "10s", process_seconds: 11 })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].process_seconds` must be at most 3600, after which",
    withTasks(song({ status: "failure", created_ago: "1d", process_seconds: 3601 })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].input.gpt_description_prompt` must not be blank",
    withTasks(song({ status: "success", input: { gpt_description_prompt: " " } })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].task_type` must be music for provider_b",
    withTasks(song({ status: "success", model: "provider_b", task_type: "lyrics" })),
  ],
  [
    `\`${CLIP}.continue_clip_id\` must be a clip of a task of the account that had succeeded before; got \`b\``,
    withTasks(PENDING, song({ status: "success", input: { continue_clip_id: "b" } })),
  ],
  [
    `\`${CLIP}.clip_id\` must be a clip`,
    withTasks(PENDING, song({ status: "success", task_type: "concat", input: { clip_id: "b" } })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].clips` must be omitted if `clip_ids` is set",
    withTasks(song({ status: "success", clips: 1, clip_ids: ["a"] })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].clip_ids[1]` must be 1 to 100 letters",
    withTasks(song({ status: "success", clip_ids: ["a", "b/c"] })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].clip_ids` must be omitted, since lyrics has no clips",
    withTasks(song({ status: "success", task_type: "lyrics", input: { prompt: "sea" }, clip_ids: ["a"] })),
  ],
  [
    "`seedFile.accounts[0].tasks[0].clip_ids[1]` must differ from `seedFile.accounts[0].tasks[0].clip_ids[0]`",
    withTasks(song({ status: "success", clip_ids: ["a", "a"] })),
  ],
  [
    "`seedFile.accounts[1].account_id` must differ from `seedFile.accounts[0].account_id`",
    { accounts: [{ account_id: ID }, { account_id: ID.toUpperCase() }] },
  ],
  [
    "`seedFile.accounts[0].tasks[1].task_id` must differ from `seedFile.accounts[0].tasks[0].task_id`",
    withTasks({ ...PENDING, task_id: ID.toUpperCase() }, { ...PENDING, task_id: ID }),
  ],
  [
    "`seedFile.accounts[0].tasks[0].task_id` must differ from `seedFile.accounts[0].account_id`",
    withAccount({ account_id: ID.toUpperCase(), tasks: [{ ...PENDING, task_id: ID }] }),
  ],
  [
    "`seedFile.accounts[0].credits` must be higher: `seedFile.accounts[0].tasks[0]` cost 10",
    withAccount({ credits: 9, tasks: [song({ status: "failure" })] }),
  ],
  ["`seedFile.faults[0].fault.kind` must be one of", { faults: [{ fault: { kind: "stal" } }] }],
  [
    "Unknown field `late_succes` in `seedFile.policy`. Did you mean `late_success`?",
    { policy: { late_succes: "success" } },
  ],
  ["`seedFile.limits.window_seconds` must be a number from", { limits: { window_seconds: 0 } }],
  [
    "`seedFile.outcomes.provider_a.next[0].clips` must be a whole number",
    { outcomes: { provider_a: { next: [{ clips: 21 }] } } },
  ],
])("%s", (message, seedFile) => {
  expect(() => createEmulator({ seedFile: seedFile as object })).toThrow(message);
});

test("a key that is refused is not shown", () => {
  const seedFile = withAccount({ keys: [{ key: "live_secret" }] });
  expect(() => createEmulator({ seedFile })).toThrow(/^`seedFile\.(?!.*live_secret)/);
});

test("`credits` and a seed file exclude each other", () => {
  expect(() => createEmulator({ credits: 5, seedFile: {} })).toThrow(
    "`credits` can't be combined with `seedFile`. Set `accounts[0].credits` in the seed file.",
  );
});

test("an ID of the file that the seed gives to another task is refused", () => {
  const [task] = createEmulator({ seedFile: withTasks(PENDING) }).state().tasks;
  const tasks = [PENDING, song({ status: "pending", task_id: task?.task_id })];
  expect(() => createEmulator({ seedFile: withTasks(...tasks) })).toThrow(
    "`seedFile.accounts[0].tasks[1].task_id` must differ from `seedFile.accounts[0].tasks[0].task_id`",
  );
});

test("the IDs and keys of the file are not given again to later tasks, clips, accounts and keys", async () => {
  // What the seed would give to the second task, its first clip and the second account.
  const plain = createEmulator();
  const song = { model: "provider_a", task_type: "music", input: { tags: "polka" } };
  const create = async (emulator: Emulator) => {
    emulator.providers.provider_a.next({ polls: 1 });
    const init = { method: "POST", body: JSON.stringify(song) };
    const { task_id: taskId } = (await send(emulator, "/task", init)).data;
    const { output } = (await send(emulator, `/task/${taskId}`)).data;
    return { taskId, clipId: output.result[0].id };
  };
  await create(plain);
  const second = await create(plain);
  const other = plain.accounts.create();

  const seedFile = withAccount({
    account_id: other.account_id,
    keys: [{ key: other.api_key }],
    tasks: [{ ...song, status: "success", task_id: second.taskId, clip_ids: [second.clipId] }],
  });
  const emulator = createEmulator({ seedFile });
  const later = await create(emulator);
  expect(later.taskId).not.toBe(second.taskId);
  expect(later.clipId).not.toBe(second.clipId);
  const created = emulator.accounts.create();
  expect(created.account_id).not.toBe(other.account_id);
  expect(created.api_key).not.toBe(other.api_key);
  expect(createEmulator({ snapshot: emulator.snapshot() }).state().tasks).toHaveLength(2);
});
