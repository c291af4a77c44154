import { createEmulator } from "async-music/emulator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const song = { model: "provider_a", task_type: "music", input: { tags: "polka" }, status: "success" };
const lyrics = { ...song, task_type: "lyrics", input: { prompt: "sea" } };

interface Mistake {
  /** The path at which it is reported, in the account at this position. */
  path: (account: string) => string;
  /** Its account, which nothing else is wrong with. */
  account: object;
}

/** Mistakes of every kind: of one field, and between fields. */
const MISTAKES: Record<string, Mistake> = {
  "a wrong type": { path: (at) => `${at}.suspended`, account: { suspended: "no" } },
  "an unknown field": { path: (at) => `${at}.credit`, account: { credit: 5 } },
  "an account that is no object": { path: (at) => at, account: Object.assign([], {}) },
  "an invalid key": { path: (at) => `${at}.keys[0].key`, account: { keys: [{ key: "live_1" }] } },
  "a key without a value": { path: (at) => `${at}.keys[0].key`, account: { keys: [{ name: "laptop" }] } },
  "an equal key": {
    path: (at) => `${at}.keys[1].key`,
    account: { keys: [{ key: "emu_same" }, { key: "emu_same" }] },
  },
  "an invalid request": {
    path: (at) => `${at}.tasks[0].input.gpt_description_prompt`,
    account: { tasks: [{ ...song, input: { gpt_description_prompt: " " } }] },
  },
  "an unknown status": {
    path: (at) => `${at}.tasks[0].status`,
    account: { tasks: [{ ...song, status: "done" }] },
  },
  "a field of another status": {
    path: (at) => `${at}.tasks[0].error_code`,
    account: { tasks: [{ ...song, error_code: "rate_limited" }] },
  },
  "a time in the future": {
    path: (at) => `${at}.tasks[0].created_at`,
    account: { tasks: [{ ...song, created_at: "2099-01-01T00:00:00Z" }] },
  },
  "too long a duration": {
    path: (at) => `${at}.tasks[0].process_seconds`,
    account: { tasks: [{ ...song, created_ago: "10s", process_seconds: 11 }] },
  },
  "an outcome without a task": {
    path: (at) => `${at}.tasks[0].outcome.outcome`,
    account: { tasks: [{ ...song, status: "pending", outcome: { outcome: "reject" } }] },
  },
  "an unknown clip": {
    path: (at) => `${at}.tasks[0].input.continue_clip_id`,
    account: { tasks: [{ ...song, input: { continue_clip_id: "none" } }] },
  },
  "clips of lyrics": {
    path: (at) => `${at}.tasks[0].clip_ids`,
    account: { tasks: [{ ...lyrics, clip_ids: ["l"] }] },
  },
  "too few credits": {
    path: (at) => `${at}.credits`,
    account: { credits: 9, tasks: [{ ...song, status: "failure" }] },
  },
  "too many credits": { path: (at) => `${at}.credits`, account: { credits: 1e12, tasks: [song] } },
};

/** The paths of the mistakes that a file is refused for, in the order of the message's lines. */
function pathsOf(seedFile: object): string[] {
  try {
    createEmulator({ seedFile });
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    const { message } = error as Error;
    const lines = message.split("\n");
    const paths = Object(error).issues.map(({ path }: { path: string }) => path);
    if (paths.length === 1) expect(lines).toHaveLength(1);
    else {
      expect(lines[0]).toBe(`\`seedFile\` has ${paths.length} mistakes:`);
      for (const [index, path] of paths.entries()) {
        expect(lines[index + 1]).toMatch(/^- .*[.?]$/);
        expect(lines[index + 1]).toContain(path.split(".").at(-1));
      }
    }
    return paths;
  }
  return [];
}

test.each(Object.entries(MISTAKES))("%s alone is one mistake", (_, { path, account }) => {
  expect(pathsOf({ accounts: [account] })).toEqual([path("seedFile.accounts[0]")]);
});

test("any mistakes of any accounts, and of the file itself, are all reported, and nothing else", () => {
  const chosen = fc.array(fc.constantFrom(...Object.values(MISTAKES), null), { minLength: 1, maxLength: 8 });
  const ofFile = fc.constantFrom(
    {},
    { policy: { no_such: 1 } },
    { limits: { requests: 0 } },
    { acounts: [] },
  );
  fc.assert(
    fc.property(chosen, ofFile, (mistakes, more) => {
      // Each key and clip is of one account only.
      const accounts = JSON.parse(
        JSON.stringify(
          mistakes.map((each, index) =>
            JSON.parse(
              JSON.stringify(each?.account ?? { tasks: [song] }).replaceAll("emu_same", `emu_${index}`),
            ),
          ),
        ),
      );
      const expected = mistakes.flatMap((each, index) => each?.path(`seedFile.accounts[${index}]`) ?? []);
      const found = pathsOf({ accounts, ...more });
      expect(found.filter((path) => path.includes("accounts[")).sort()).toEqual(expected.sort());
      expect(found.length - expected.length).toBe(Object.keys(more).length);
    }),
    { numRuns: 300 },
  );
});

describe("a mistake causes no others", () => {
  test.each([
    [
      "a clip of an invalid task",
      [
        { ...song, status: "done", clip_ids: ["a"] },
        { ...song, input: { continue_clip_id: "a" } },
      ],
      "tasks[0].status",
    ],
    [
      "a clip of an invalid request",
      [
        { ...song, input: {}, clip_ids: ["a"] },
        { ...song, input: { continue_clip_id: "a" } },
      ],
      "tasks[0].input.prompt",
    ],
    [
      "a misspelled name of a required field",
      [{ ...song, status: undefined, statuss: "success" }],
      "tasks[0].statuss",
    ],
  ])("%s", (_, tasks, path) => {
    expect(pathsOf({ accounts: [{ tasks }] })).toEqual([`seedFile.accounts[0].${path}`]);
  });

  test("a wrong time of the file, for the ages of its tasks", () => {
    const tasks = [{ ...song, created_at: "2027-01-01T00:00:00Z" }];
    expect(pathsOf({ time: "tomorrow", accounts: [{ tasks }] })).toEqual(["seedFile.time"]);
  });
});
