import { createEmulator } from "async-music/emulator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seedSong, withAccount, withTasks } from "./support/seed-files.js";

const PENDING = seedSong({ status: "pending" });
const DONE = seedSong({ status: "success" });
const ID = "a0000000-0000-4000-8000-00000000000b";
const UPPER_ID = ID.toUpperCase();
const WITH_ID = { ...PENDING, task_id: ID };
const agoOf = (ms: number) => new Date(Date.UTC(2026, 0, 1) - ms).toISOString();
const withOutcome = (outcome: object) => ({ status: "pending", outcome });
const lyrics = { task_type: "lyrics", input: { prompt: "sea" } };

/** The path that is wrong, the rule that it breaks, and an account or a task that nothing else is wrong with. */
type Mistake = [path: string, rule: string, at: object];

/** Mistakes of an account. Keys, clips and IDs have names of this file's own. */
const ACCOUNT_MISTAKES: Mistake[] = [
  ["", "must be an object", []],
  ["suspended", "must be true or false", { suspended: "no" }],
  ["credit", "Did you mean `credits`?", { credit: 5 }],
  ["credits", "must be a whole number from 0", { credits: -1 }],
  ["credits", "must be at most 999999999990", { credits: 1e12, tasks: [PENDING] }],
  [
    "credits",
    "must be higher: `AT.tasks[0]` cost 10",
    { credits: 9, tasks: [seedSong({ status: "failure" })] },
  ],
  ["keys", "must have at least one API key", { keys: [] }],
  ["keys[0].key", "must be a string", { keys: [{ name: "laptop" }] }],
  ["keys[1].key", "must begin with `emu_`", { keys: [{ key: "emu_a" }, { key: "k" }] }],
  ["keys[1].key", "must differ from `AT.keys[0].key`", { keys: [{ key: "emu_a" }, { key: "emu_a" }] }],
  ["keys[0].disable", "Did you mean `disabled`?", { keys: [{ key: "emu_a", disable: true }] }],
  ["tasks[0].statuss", "Did you mean `status`?", { tasks: [seedSong({ statuss: "success" })] }],
  ["tasks[0].task_id", "must differ from `AT.account_id`", { account_id: UPPER_ID, tasks: [WITH_ID] }],
  [
    "tasks[1].task_id",
    "must differ from `AT.tasks[0].task_id`",
    { tasks: [{ ...WITH_ID, task_id: UPPER_ID }, WITH_ID] },
  ],
];

/** Mistakes of the first task, which is a success unless it has another status. */
const TASK_MISTAKES: Mistake[] = [
  ["status", "must be one of pending, running, success, failure, timeout; got `done`", { status: "done" }],
  ["task_type", "must be music for provider_b", { ...lyrics, model: "provider_b" }],
  ["input.gpt_description_prompt", "must not be blank", { input: { gpt_description_prompt: " " } }],
  ["error_code", "must be omitted unless `status` is failure", { error_code: "rate_limited" }],
  ["outcome", "must be omitted unless `status` is pending or running", { outcome: {} }],
  ["outcome.outcome", "must be success, failure or hang", withOutcome({ outcome: "reject" })],
  ["outcome.pols", "Did you mean `polls`?", withOutcome({ pols: 1 })],
  ["created_ago", "must be a duration such as", { created_ago: "8 days" }],
  [
    "created_ago",
    "must be omitted if `created_at` is set",
    { created_ago: "1h", created_at: agoOf(3_600_000) },
  ],
  ["created_at", `must not be after the emulator's time, which is ${agoOf(0)}`, { created_at: agoOf(-1000) }],
  ["created_ago", "must not be before 1970", { created_ago: "99999d" }],
  ["created_ago", "must be at most an hour ago", { status: "pending", created_ago: "61m" }],
  ["created_ago", "must be more than an hour ago", { status: "timeout", created_ago: "1h" }],
  ["process_seconds", "must be at most 10, the task's age", { created_ago: "10s", process_seconds: 11 }],
  ["process_seconds", "must be at most 3600, after which", { created_ago: "1d", process_seconds: 3601 }],
  [
    "input.continue_clip_id",
    "must be a clip of a task of the account that had succeeded before; got `clip_b`",
    { input: { continue_clip_id: "clip_b" } },
  ],
  ["input.clip_id", "must be a clip", { task_type: "concat", input: { clip_id: "clip_b" } }],
  ["clips", "must be omitted if `clip_ids` is set", { clips: 1, clip_ids: ["clip_a"] }],
  ["clip_ids", "must be omitted, since lyrics has no clips", { ...lyrics, clip_ids: ["clip_a"] }],
  ["clip_ids[1]", "must be 1 to 100 letters", { clip_ids: ["clip_a", "b/c"] }],
  ["clip_ids[1]", "must differ from `AT.tasks[0].clip_ids[0]`", { clip_ids: ["clip_a", "clip_a"] }],
];

const MISTAKES: Mistake[] = [
  ...ACCOUNT_MISTAKES,
  ...TASK_MISTAKES.map(([path, rule, task]): Mistake => {
    return [`tasks[0].${path}`, rule, { tasks: [{ ...DONE, ...task }] }];
  }),
];

const pathOf = (path: string, account: number) =>
  `seedFile.accounts[${account}]${path === "" ? "" : `.${path}`}`;

/** What a file is refused for: the message, and the paths in the order of its lines. */
function refusalOf(seedFile: unknown): { message: string; paths: string[] } {
  try {
    createEmulator({ seedFile: seedFile as object });
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    const { message } = error as Error;
    const paths = Object(error).issues.map(({ path }: { path: string }) => path);
    const [first, ...lines] = message.split("\n");
    if (paths.length > 1) expect(first).toBe(`\`seedFile\` has ${paths.length} mistakes:`);
    expect(lines).toHaveLength(paths.length > 1 ? paths.length : 0);
    for (const [index, line] of lines.entries()) {
      expect(line).toMatch(/^- .*[.?]$/);
      expect(line).toContain(paths[index].split(".").at(-1));
    }
    return { message, paths };
  }
  return { message: "", paths: [] };
}

test.each(MISTAKES)("%s %s: this alone is one mistake", (at, rule, account) => {
  const path = pathOf(at, 0);
  const [, parent, name] = /^(.*)\.(.*)$/.exec(path) ?? [];
  const message = rule.startsWith("Did you mean")
    ? `Unknown field \`${name}\` in \`${parent}\`. ${rule}`
    : `\`${path}\` ${rule.replace("AT", pathOf("", 0))}`;
  expect(refusalOf(withAccount(account))).toEqual({
    message: expect.stringContaining(message),
    paths: [path],
  });
});

test("any mistakes of any accounts, and of the file itself, are all reported, and nothing else", () => {
  const chosen = fc.array(fc.constantFrom(...MISTAKES, null), { minLength: 1, maxLength: 8 });
  const ofFile = fc.constantFrom(
    {},
    { policy: { no_such: 1 } },
    { limits: { requests: 0 } },
    { acounts: [] },
  );
  /** An account whose keys, clips and IDs no other account has. */
  const ownAccount = (account: object, index: number) =>
    JSON.parse(
      JSON.stringify(account)
        .replaceAll(/(?<=emu_|clip_)(?=[ab]")/g, String(index))
        .replaceAll(/(?<=a000000)0(?=-)/gi, String(index)),
    );
  fc.assert(
    fc.property(chosen, ofFile, (mistakes, more) => {
      const accounts = mistakes.map((each, index) => ownAccount(each?.[2] ?? { tasks: [DONE] }, index));
      const expected = mistakes.flatMap((each, index) => (each === null ? [] : pathOf(each[0], index)));
      const { paths } = refusalOf({ accounts, ...more });
      expect(paths.filter((path) => path.includes("accounts[")).sort()).toEqual(expected.sort());
      expect(paths.length - expected.length).toBe(Object.keys(more).length);
    }),
    { numRuns: 500 },
  );
});

test.each<[string, unknown]>([
  ["`seedFile` must be an object; got 5.", 5],
  ["Unknown field `acounts` in `seedFile`. Did you mean `accounts`?", { acounts: [] }],
  ["`seedFile.accounts` must have at least one account, or be omitted", { accounts: [] }],
  ["`seedFile.time` must be an ISO 8601 time in UTC", { time: "2026-01-01T00:00:00+01:00" }],
  ["`seedFile.time` must be an ISO 8601 time in UTC", { time: "1969-12-31T00:00:00Z" }],
  [
    "`seedFile.accounts[1].keys[0].key` must differ from `seedFile.accounts[0].keys[1].key`",
    { accounts: [{ keys: [{ key: "emu_a" }, { key: "emu_b" }] }, { keys: [{ key: "emu_b" }] }] },
  ],
  [
    "`seedFile.accounts[1].account_id` must differ from `seedFile.accounts[0].account_id`",
    { accounts: [{ account_id: ID }, { account_id: ID.toUpperCase() }] },
  ],
  ["`seedFile.faults[0].fault.kind` must be one of", { faults: [{ fault: { kind: "stal" } }] }],
  ["Unknown field `late_succes` in `seedFile.policy`. Did you mean", { policy: { late_succes: "success" } }],
  ["`seedFile.limits.window_seconds` must be a number from", { limits: { window_seconds: 0 } }],
  [
    "`seedFile.outcomes.provider_a.next[0].clips` must be a whole number",
    { outcomes: { provider_a: { next: [{ clips: 21 }] } } },
  ],
])("a file is refused with this message alone: %s", (message, seedFile) => {
  expect(refusalOf(seedFile)).toMatchObject({
    message: expect.stringContaining(message),
    paths: { length: 1 },
  });
});

test("a key that is refused is not shown", () => {
  const { message } = refusalOf(withAccount({ keys: [{ key: "live_secret" }] }));
  expect(message).toMatch(/^`seedFile\.(?!.*live_secret)/);
});

test("an ID of the file that the seed gives to another task is refused", () => {
  const [task] = createEmulator({ seedFile: withTasks(PENDING) }).state().tasks;
  expect(refusalOf(withTasks(PENDING, { ...PENDING, task_id: task?.task_id })).message).toContain(
    "`seedFile.accounts[0].tasks[1].task_id` must differ from `seedFile.accounts[0].tasks[0].task_id`",
  );
});

describe("a mistake causes no others", () => {
  const continued = { ...DONE, input: { continue_clip_id: "a" } };

  test.each([
    ["a clip of an invalid task", { status: "done" }, "tasks[0].status"],
    ["a clip of an invalid request", { input: {} }, "tasks[0].input.prompt"],
  ])("%s", (_, mistake, path) => {
    const { paths } = refusalOf(withTasks({ ...DONE, clip_ids: ["a"], ...mistake }, continued));
    expect(paths).toEqual([pathOf(path, 0)]);
  });

  test("a wrong time of the file, for the ages of its tasks", () => {
    const file = withTasks({ ...DONE, created_at: "2027-01-01T00:00:00Z" });
    expect(refusalOf({ time: "tomorrow", ...file }).paths).toEqual(["seedFile.time"]);
  });
});
