import { createEmulator, type Emulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { findProblems } from "../../emulator/control/compliance.js";
import { POLICY_FIELDS } from "../../emulator/core/policy-fields.js";
import { TASK_ERROR_CODES, TASK_STATUSES } from "../../src/contract/service.js";
import { createSeeded, createWithTasks, seedSong, withAccount } from "./support/seed-files.js";
import { BALANCE, serviceOf, TASK, USAGE } from "./support/service.js";

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const ACCOUNT_ID = "a11ce000-0000-4000-8000-00000000000b";
const TASK_ID = "50000000-0000-4000-8000-00000000000a";

const agoOf = (ms: number) => new Date(NOW - ms).toISOString();
const idsOf = (clips: { id: string }[]) => clips.map(({ id }) => id);
const successOf = (created_ago: string, fields: object = {}) =>
  seedSong({ status: "success", created_ago, ...fields });

describe("a task of a seed file", () => {
  test.each([
    ["pending", 10, ["freeze"]],
    ["running", 10, ["freeze"]],
    ["success", 0, ["freeze", "settle"]],
    ["failure", 0, ["freeze", "refund"]],
    ["timeout", 0, ["freeze", "refund"]],
  ])(
    "%s: also after a read, %i credits are frozen, and the ledger has its movements",
    async (status, frozen, kinds) => {
      const { emulator, readAt } = createSeeded(withAccount({ credits: 70, tasks: [seedSong({ status })] }));
      const [task] = emulator.state().tasks;
      expect([task?.status, (await readAt()).status]).toEqual([status, status]);
      const [account] = emulator.accounts.list();
      expect(account?.balance).toEqual({ available: 70, frozen, total: 70 + frozen });
      expect(account?.ledger.map(({ kind }) => kind)).toEqual(["top_up", ...kinds]);
      const times = account?.ledger.map(({ at }) => at) ?? [];
      expect(times.slice(0, 2)).toEqual(Array(2).fill(task?.created_at));
      expect(times).toEqual([...times].sort());
      expect(account?.usage).toMatchObject({ tasks_created: 1, credits_used: 10 });
    },
  );

  test.each(["pending", "running"])(
    "%s for half an hour stays so for a while, then ends, and settles its credits",
    async (status) => {
      const { readAt, balance, advance } = createWithTasks(seedSong({ status, created_ago: "30m" }));
      expect((await readAt()).status).toBe(status);
      expect(await balance()).toEqual({ available: 1000, frozen: 10, total: 1010 });
      await advance(301_000);
      expect((await readAt()).status).toBe("success");
      expect(await balance()).toEqual({ available: 1000, frozen: 0, total: 1000 });
    },
  );

  test("an unfinished one times out an hour after its creation", async () => {
    const hanging = seedSong({ status: "running", created_ago: "59m", outcome: { outcome: "hang" } });
    const { readAt, balance, advance } = createWithTasks(hanging);
    await advance(60_000);
    expect((await readAt()).status).toBe("running");
    await advance(1);
    expect((await readAt()).status).toBe("timeout");
    expect(await balance()).toEqual({ available: 1010, frozen: 0, total: 1010 });
  });

  test("an unfinished one has the given outcome, counted from its creation", async () => {
    const failure = { error_code: "rate_limited", retry_after_seconds: 7 };
    const outcome = { outcome: "failure", ...failure, process_seconds: 60 };
    const { readAt } = createWithTasks(seedSong({ status: "running", created_ago: "10m", outcome }));
    expect(await readAt()).toMatchObject({ status: "failure", ...failure, completed_at: agoOf(540_000) });
  });

  test("polls of an outcome are counted from the start of the emulator", async () => {
    const { readAt } = createWithTasks(seedSong({ status: "running", outcome: { polls: 2 } }));
    expect([(await readAt()).status, (await readAt()).status]).toEqual(["running", "success"]);
  });

  test.each(TASK_ERROR_CODES)("a failure can have the code %s and an unknown clip", async (error_code) => {
    const said = { error_code, error: "Mine", retryable: false, retry_after_seconds: 3 };
    const fields = { status: "failure", ...said, input: { continue_clip_id: "none" } };
    expect(await createWithTasks(seedSong(fields)).readAt()).toMatchObject({
      ...fields,
      output: { result: null },
    });
  });

  test.each([
    [7 * DAY_MS - 1, 200],
    [7 * DAY_MS, 404],
  ])("audio of a song that is %i ms old is a %i", async (ageMs, status) => {
    const fields = { created_at: agoOf(ageMs), process_seconds: 0, clip_ids: ["mine"] };
    const { send } = createWithTasks(seedSong({ status: "success", ...fields }));
    expect((await send("/audio/mine")).status).toBe(status);
  });

  test("a success has the given clips, whose case counts, and the given format and times", async () => {
    const clip_ids = ["Intro", "intro", "c"];
    const fields = { process_seconds: 30, storable: false, format: "mp3", clip_ids, audio_format: "mp3" };
    const task = await createWithTasks(successOf("90s", fields)).readAt();
    expect(task).toMatchObject({ audio_format: "mp3", completed_at: agoOf(60_000) });
    expect(idsOf(task.output.result)).toEqual(clip_ids);
    expect(task.output.result[0].audio_url).toContain("provider");
  });

  test("finished tasks without a time are an hour apart, in their order, so that a song can be continued", () => {
    const { tasks } = createWithTasks(
      seedSong({ status: "success", clip_ids: ["first"] }),
      seedSong({ status: "success", clip_ids: ["second"], input: { continue_clip_id: "first" } }),
      seedSong({ status: "success", task_type: "concat", input: { clip_id: "second" } }),
      seedSong({ status: "timeout" }),
    ).emulator.state();
    expect(tasks.map(({ created_at }) => created_at)).toEqual(
      [5, 4, 3, 2].map((hours) => agoOf(hours * 3_600_000)),
    );
    expect(tasks.map(({ status }) => status)).toEqual(["success", "success", "success", "timeout"]);
  });

  test("a song that ended while an older task was unfinished can be continued", () => {
    const { ledgerKinds } = createWithTasks(
      seedSong({ status: "timeout", created_ago: "120m" }),
      successOf("90m", { clip_ids: ["a"] }),
      successOf("70m", { input: { continue_clip_id: "a" } }),
    );
    const kinds = ["top_up", "freeze", "freeze", "settle", "freeze", "settle", "refund"];
    expect(ledgerKinds()).toEqual(kinds);
  });

  test("a clip has its ID of the file only", () => {
    const first = successOf("3h");
    const { output } = createWithTasks(first).emulator.state().tasks[0] ?? {};
    const next = successOf("1h", { input: { continue_clip_id: Object(output).result[0].id } });
    expect(() => createWithTasks(first, next)).not.toThrow();
    expect(() => createWithTasks({ ...first, clip_ids: ["a"] }, next)).toThrow("must be a clip of a task");
  });

  test.each(["success", "failure"])("a %s that was created just now has ended by now", async (status) => {
    const { readAt } = createWithTasks(seedSong({ status, created_ago: "2s" }));
    expect((await readAt()).completed_at).toBe(agoOf(0));
  });

  test("tasks of all accounts are listed in the order of their creation", () => {
    const at = (created_ago: string, tags: string) => successOf(created_ago, { input: { tags } });
    const accounts = [{ tasks: [at("2h", "c"), at("2d", "a")] }, { tasks: [at("1d", "b"), at("1h", "d")] }];
    const { tasks } = createSeeded({ accounts }).emulator.state();
    expect(tasks.map(({ input }) => Object(input).tags)).toEqual(["a", "b", "c", "d"]);
  });

  test("fixed IDs in upper case are stored in lower case, and found in any case", async () => {
    const create = (account_id: string, task_id: string) => {
      const tasks = [seedSong({ status: "success", task_id })];
      const faults = [{ path: "/no", fault: { kind: "stall" } }];
      return createSeeded(withAccount({ account_id, tasks, faults })).emulator;
    };
    const emulator = create(ACCOUNT_ID.toUpperCase(), TASK_ID.toUpperCase());
    expect(emulator.snapshot()).toEqual(create(ACCOUNT_ID, TASK_ID).snapshot());
    expect(emulator.accountId).toBe(ACCOUNT_ID);
    for (const accountId of [ACCOUNT_ID, ACCOUNT_ID.toUpperCase()]) {
      expect(emulator.accounts.get(accountId).account_id).toBe(ACCOUNT_ID);
      const own = { account_id: ACCOUNT_ID, task_id: TASK_ID };
      expect(emulator.state({ accountId }).tasks).toMatchObject([own]);
      expect(emulator.faults.list({ accountId })).toHaveLength(1);
    }
    for (const taskId of [TASK_ID, TASK_ID.toUpperCase()]) {
      expect((await serviceOf(emulator).read(taskId)).task_id).toBe(TASK_ID);
      expect((await emulator.when(taskId, "success")).task_id).toBe(TASK_ID);
    }
  });

  test("IDs can be fixed, and belong to one account only", async () => {
    const tasks = [seedSong({ task_id: TASK_ID, status: "pending" })];
    const own = { account_id: ACCOUNT_ID, keys: [{ key: "emu_a" }], tasks };
    const { emulator, get } = createSeeded({ accounts: [own, { keys: [{ key: "emu_b" }] }] });
    expect([emulator.accountId, emulator.apiKey]).toEqual([ACCOUNT_ID, "emu_a"]);
    expect((await get(`${TASK}/${TASK_ID}`)).status).toBe(200);
    expect((await get(`${TASK}/${TASK_ID}`, { "x-api-key": "emu_b" })).status).toBe(404);
  });
});

describe("an account of a seed file", () => {
  test("a disabled key and a suspended account are refused", async () => {
    const keys = [{ key: "emu_a" }, { key: "emu_off", disabled: true }];
    const { post, get } = createSeeded(withAccount({ keys, suspended: true }));
    expect((await post(seedSong())).body.error_code).toBe("account_suspended");
    expect((await get(BALANCE, { "x-api-key": "emu_off" })).body.error_code).toBe("invalid_api_key");
  });

  test("its own policy applies to its tasks, past and later", async () => {
    const tasks = [seedSong({ status: "timeout" })];
    const policy = { timeout_error_code: "rate_limited", audio_conversion: "off" };
    const other = { keys: [{ key: "emu_b" }], tasks, policy };
    const { emulator, post } = createSeeded({ accounts: [{ tasks }, other] });
    const codes = emulator.state().tasks.map(({ error_code }) => error_code);
    expect(codes).toEqual(["upstream_provider_error", "rate_limited"]);
    const mp3 = seedSong({ audio_format: "mp3" });
    const replies = [await post(mp3), await post(mp3, { "x-api-key": "emu_b" })];
    expect(replies.map(({ status }) => status)).toEqual([202, 400]);
  });

  test("its own outcomes, faults and limits apply to it alone", async () => {
    const own = {
      outcomes: { provider_a: { next: [{ outcome: "reject" }] } },
      faults: [{ path: USAGE, fault: { kind: "status", status: 500, when: "before" } }],
      limits: { requests: 3 },
    };
    const accounts = [{}, { ...own, keys: [{ key: "emu_b" }] }];
    const { emulator, post, get } = createSeeded({ accounts, limits: { window_seconds: 10 } });
    const statusesWith = async (apiKey: string) => {
      const headers = { "x-api-key": apiKey };
      return [(await post(seedSong(), headers)).status, (await get(USAGE, headers)).status];
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

  test("its own limits take precedence over the options, which take precedence over the top of the file", async () => {
    const other = { keys: [{ key: "emu_b" }], limits: { requests: 2 } };
    const file = { accounts: [{}, other], limits: { requests: 1, window_seconds: 1 } };
    const limits = { requests: 3, windowSeconds: 10 };
    const { emulator, get } = createSeeded(file, { limits });
    const statusesWith = async (apiKey: string) => {
      const replies = [1, 2, 3, 4].map(() => get(USAGE, { "x-api-key": apiKey }));
      return (await Promise.all(replies)).map(({ status }) => status);
    };
    const limitOf3 = [200, 200, 200, 429];
    const limitOf2 = [200, 200, 429, 429];
    expect([await statusesWith(emulator.apiKey), await statusesWith("emu_b")]).toEqual([limitOf3, limitOf2]);
    await emulator.clock.advance(9999);
    expect(await statusesWith("emu_b")).toEqual([429, 429, 429, 429]);
    await emulator.clock.advance(1);
    expect(await statusesWith("emu_b")).toEqual(limitOf2);
  });

  test("its faults are drawn as if they had been added", () => {
    const fault = { probability: 0.5, fault: { kind: "malformed" } } as const;
    const own = { account_id: ACCOUNT_ID };
    const seeded = createSeeded(withAccount({ ...own, faults: [fault, fault] })).emulator;
    const added = createSeeded(withAccount(own)).emulator;
    for (let times = 0; times < 2; times++) added.faults.add({ ...fault, ...own });
    expect(seeded.snapshot()).toEqual(added.snapshot());
  });

  test("without a field, it has 1000 credits and the key that every emulator with this seed has", async () => {
    const { emulator, balance } = createSeeded({}, { seed: 7 });
    const plain = createEmulator({ seed: 7 });
    expect([emulator.apiKey, emulator.accountId]).toEqual([plain.apiKey, plain.accountId]);
    expect(await balance()).toEqual({ available: 1000, frozen: 0, total: 1000 });
  });

  test("`apiKey` replaces the first key of the first account", async () => {
    const keys = [{ key: "emu_a" }, { key: "emu_b" }];
    const { emulator, get } = createSeeded(withAccount({ keys }), { apiKey: "emu_mine" });
    const replies = ["emu_mine", "emu_a", "emu_b"].map((key) => get(USAGE, { "x-api-key": key }));
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 401, 200]);
    emulator.reset();
    expect(emulator.apiKey).toBe("emu_mine");
  });
});

describe("the policy of the file applies to its tasks, not the option `policy`", () => {
  const tasks = [
    seedSong({ status: "timeout" }),
    seedSong({ status: "success", audio_format: "mp3" }),
    seedSong({ status: "failure" }),
    seedSong({ status: "running" }),
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
    for (const apiKey of [emulator.apiKey, "emu_b"])
      await serviceOf(emulator, { apiKey }).create(seedSong(), { outcome: "hang" });
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
      { credits: 20, tasks: TASK_STATUSES.map((status) => seedSong({ status })) },
      { credits: 5, tasks: [seedSong({ status: "success", created_ago: "3d" })] },
    ],
    outcomes: { provider_a: { next: [{ outcome: "reject" }], always: { polls: 1 } } },
    faults: [{ method: "GET", path: "/api/v1/account/usage", fault: { kind: "disconnect", when: "before" } }],
    policy: { timeout_error_code: "rate_limited", timeout_retryable: false },
    limits: { requests: 7, window_seconds: 3 },
  };

  test("begins at its time, with its policy, limits, faults and outcomes", async () => {
    const { emulator, get, post, create, read } = createSeeded(world);
    expect(emulator.clock.now()).toBe(Date.parse(world.time));
    expect(emulator.policy).toMatchObject(world.policy);
    expect(emulator.limits).toEqual({ requests: 7, windowSeconds: 3 });
    await expect(get(USAGE)).rejects.toThrow(TypeError);
    expect((await post(seedSong())).status).toBe(502);
    expect((await read(await create(seedSong()))).status).toBe("success");
    const timeout = emulator.state().tasks.find(({ status }) => status === "timeout");
    expect(timeout?.error_code).toBe("rate_limited");
  });

  test("the policy and limits of the options take precedence", () => {
    const options = { policy: { timeout_retryable: true }, limits: { requests: 9 } };
    const { emulator } = createSeeded(world, options);
    expect(emulator.policy).toMatchObject({ timeout_error_code: "rate_limited", timeout_retryable: true });
    expect(emulator.limits).toEqual({ requests: 9, windowSeconds: 3 });
  });

  test("the same file and seed give the same bytes, and another seed gives other IDs", () => {
    const bytes = (seed: number) => JSON.stringify(createEmulator({ seed, seedFile: world }).snapshot());
    expect(bytes(3)).toBe(bytes(3));
    expect(bytes(4)).not.toBe(bytes(3));
  });

  test("its snapshot restores elsewhere, and behaves the same", async () => {
    const { emulator, readAt } = createSeeded(world);
    const other = createEmulator({ snapshot: JSON.parse(JSON.stringify(emulator.snapshot())) });
    for (const each of [emulator, other]) await each.clock.advance(100_000);
    const taskId = other.state().tasks[5]?.task_id ?? "";
    expect(await serviceOf(other).read(taskId)).toEqual(await readAt(5));
    expect(other.snapshot()).toEqual(emulator.snapshot());
  });

  test("a reset returns to it, in process and over HTTP, even if the caller's object has changed", async () => {
    const file = structuredClone(world);
    const { emulator, control, advance, frozenState } = createSeeded(file);
    const before = frozenState();
    file.accounts.length = 0;
    await advance(DAY_MS);
    emulator.accounts.create();
    emulator.reset();
    expect(frozenState()).toBe(before);
    await advance(DAY_MS);
    await control("POST", "/reset");
    expect(frozenState()).toBe(before);
    expect(emulator.fork().snapshot()).toEqual(JSON.parse(before));
  });

  test("shares nothing with the caller's object", () => {
    const title = ["Rain"];
    const { emulator } = createWithTasks(successOf("1h", { input: { tags: "polka", title } }));
    title.push("Snow");
    expect(emulator.state().tasks[0]?.input).toMatchObject({ title: ["Rain"] });
  });

  test("a reset refuses `credits`, in process and over HTTP, and changes nothing", async () => {
    const { emulator, control, frozenState } = createSeeded(world);
    const before = frozenState();
    expect(() => emulator.reset({ credits: 5 })).toThrow("`credits` can't be combined with `seedFile`");
    expect((await control("POST", "/reset", { credits: 5 })).status).toBe(400);
    expect(frozenState()).toBe(before);
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

test("`credits` and a seed file exclude each other", () => {
  expect(() => createEmulator({ credits: 5, seedFile: {} })).toThrow(
    "`credits` can't be combined with `seedFile`. Set `accounts[0].credits` in the seed file.",
  );
});

test("the IDs and keys of the file are not given again to later tasks, clips, accounts and keys", async () => {
  // What the seed would give to the second task, its first clip and the second account.
  const plain = createEmulator();
  const create = async (emulator: Emulator) => {
    const { create, read } = serviceOf(emulator);
    const taskId = await create(seedSong(), { polls: 1 });
    return { taskId, clipId: (await read(taskId)).output.result[0].id };
  };
  await create(plain);
  const second = await create(plain);
  const other = plain.accounts.create();

  const seedFile = withAccount({
    account_id: other.account_id,
    keys: [{ key: other.api_key }],
    tasks: [seedSong({ status: "success", task_id: second.taskId, clip_ids: [second.clipId] })],
  });
  const { emulator } = createSeeded(seedFile);
  const later = await create(emulator);
  expect(later.taskId).not.toBe(second.taskId);
  expect(later.clipId).not.toBe(second.clipId);
  const created = emulator.accounts.create();
  expect(created.account_id).not.toBe(other.account_id);
  expect(created.api_key).not.toBe(other.api_key);
  expect(createEmulator({ snapshot: emulator.snapshot() }).state().tasks).toHaveLength(2);
});
