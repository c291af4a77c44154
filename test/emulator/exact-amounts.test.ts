import { Ajv2020 } from "ajv/dist/2020.js";
import { createEmulator, type EmulatorOptions } from "async-music/emulator";
import { expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { createSeeded, seedSong, withAccount } from "./support/seed-files.js";
import { createService, VALID } from "./support/service.js";

const HOUR_MS = 3_600_000;
/** The emulator's time at its start, and the latest time. */
const NOW = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(9900, 0, 1);

/** A limit of the interface or of a guide: the values next to it on both sides, and what checks one of them. */
function limit<Value>(
  name: string,
  accepted: readonly Value[],
  refused: readonly Value[],
  check: (value: Value) => unknown,
) {
  const isRefused = async (value: Value) => {
    try {
      await check(value);
      return false;
    } catch (error) {
      if (error instanceof RangeError) return true;
      throw error;
    }
  };
  return [...accepted, ...refused].map((value) => ({
    name,
    value,
    expected: refused.includes(value) ? "refused" : "accepted",
    isRefused: () => isRefused(value),
  }));
}

const emulatorWith = (options: object) => createEmulator(options as EmulatorOptions);
const { accounts, accountId: id } = createEmulator({ credits: 0 });
const { provider_a: provider } = createEmulator().providers;

/** A body of so many levels: itself, its input, and lists in lists. */
const lists = (levels: number) => {
  const list = "[".repeat(levels - 2) + "]".repeat(levels - 2);
  return `{"model":"provider_a","task_type":"lyrics","input":{"prompt":"rain","deep":${list}}}`;
};

/** A song of a seed file, as the only task of its account. */
const seeded = (task: object, account: object = {}) =>
  createSeeded(withAccount({ ...account, tasks: [seedSong(task)] }));
const at = (ms: number) => new Date(ms).toISOString();
const ids = (length: number) => Array.from({ length }, (_, index) => `clip-${index}`);

async function submit(body: unknown, headers: Record<string, string> = {}) {
  const reply = await createService().post(body, headers);
  if (reply.status !== 202) throw new RangeError(reply.body.message);
}

const LIMITS = [
  limit("the levels of a body: 1000", [999, 1000], [1001, 1002], (levels) => submit(lists(levels))),
  limit("the clips of an outcome in the header: 0 to 20", [0, 1, 20], [-1, 0.5, 21], (clips) =>
    submit(VALID.song, { "X-Emulator-Outcome": JSON.stringify({ clips }) }),
  ),
  limit("the clips of a later outcome: 0 to 20", [0, 20], [-1, 21], (clips) => provider.always({ clips })),
  limit("the read that ends a task: from 1", [1, 2], [0, 0.5], (polls) => provider.next({ polls })),
  limit("the durations of an outcome: from 0 s", [0, 0.001], [-0.001], (queue_seconds) =>
    provider.next({ queue_seconds }),
  ),
  limit("the wait of a failure: from 0 s, in whole seconds", [0, 1, null], [-1, 0.5], (seconds) =>
    provider.next({ outcome: "failure", retry_after_seconds: seconds }),
  ),
  limit("the status of a fault: 200 to 599", [200, 201, 598, 599], [199, 600], (status) =>
    createService().fault(failWith(status)),
  ),
  limit("the probability of a fault: above 0, at most 1", [0.001, 1], [0, -0.001, 1.001], (probability) =>
    createService().fault({ kind: "stall" }, { probability }),
  ),
  limit("how often a fault fires: from once", [1, 2], [0, 1.5], (times) =>
    createService().fault({ kind: "stall" }, { times }),
  ),
  limit("the requests of a window: from 1", [1, 2], [0, 0.999], (requests) =>
    emulatorWith({ limits: { requests } }),
  ),
  limit(
    "the status of an error that the interface leaves open: 400 to 599",
    [400, 401, 598, 599],
    [399, 600],
    (status) => emulatorWith({ policy: { invalid_audio_format_status: status } }),
  ),
  limit(
    "a manual top-up: 0.01 to 1,000,000 USD, in whole cents",
    [0.01, 0.02, 999_999.99, 1_000_000],
    [0, 0.001, 0.015, 1_000_000.01],
    (usd) => accounts.topUp(id, { usd, method: "crypto" }),
  ),
  limit("the name of a key: at most 100 characters", [0, 99, 100], [101], (length) =>
    accounts.updateKey(id, accounts.createKey(id).key_id, { name: "x".repeat(length) }),
  ),
  limit("a line of the billing information: 1 to 100 characters", [1, 99, 100], [0, 101], (length) =>
    accounts.setBilling(id, { name: "x".repeat(length), address_line_1: "1", city: "Porto", country: "PT" }),
  ),
  limit(
    "the clock: up to the year 9900, never back",
    [0, 1, LATEST - NOW - 1, LATEST - NOW],
    [-1, LATEST - NOW + 1],
    (ms) => createEmulator().clock.advance(ms),
  ),
  limit("the time of a seed file: 1970 to 9900", [0, 1, LATEST], [-1, LATEST + 1], (time) =>
    createSeeded({ time: at(time) }),
  ),
  limit("the clips of a seeded success: 0 to 20", [0, 20], [-1, 21], (clips) =>
    seeded({ status: "success", clips }),
  ),
  limit("the IDs of a seeded success: at most 20", [0, 19, 20], [21], (count) =>
    seeded({ status: "success", clip_ids: ids(count) }),
  ),
  limit("the length of a seeded clip ID: 1 to 100 characters", [1, 100], [0, 101], (length) =>
    seeded({ status: "success", clip_ids: ["x".repeat(length)] }),
  ),
  limit("the creation of a seeded task: from 1970 to now", [0, 1, NOW - 1, NOW], [-1, NOW + 1], (time) =>
    seeded({ status: "success", created_at: at(time) }),
  ),
  limit(
    "the age of a seeded unfinished task: at most an hour",
    [HOUR_MS - 1, HOUR_MS],
    [HOUR_MS + 1],
    (age) => seeded({ status: "running", created_at: at(NOW - age) }),
  ),
  limit("the age of a seeded timeout: more than an hour", [HOUR_MS + 1], [HOUR_MS, HOUR_MS - 1], (age) =>
    seeded({ status: "timeout", created_at: at(NOW - age) }),
  ),
  limit("how long a seeded task took: at most an hour", [3599.999, 3600], [3600.001], (process_seconds) =>
    seeded({ status: "success", created_ago: "1d", process_seconds }),
  ),
  limit("how long a seeded task took: at most its age", [89.999, 90], [90.001], (process_seconds) =>
    seeded({ status: "failure", created_ago: "90s", process_seconds }),
  ),
  limit("the credits of an account with a seeded refund: at least its price", [10, 11], [9], (credits) =>
    seeded({ status: "timeout", created_ago: "2h" }, { credits }),
  ),
];

test.each(LIMITS.flat())("$name: $value is $expected", async ({ isRefused, expected }) => {
  expect(await isRefused()).toBe(expected === "refused");
});

test("the schema of the control plane allows each amount that a top-up allows", async () => {
  const emulator = createEmulator();
  const response = await emulator.fetch(`${emulator.url}/_emulator/openapi.json`);
  const document = await response.json();
  const [, topUps] = Object.entries(document.paths).find(([path]) => path.endsWith("/top-ups")) ?? [];
  const { schema } = Object(topUps).post.requestBody.content["application/json"];
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  ajv.addSchema(document, "document");
  const validate = ajv.compile({ ...schema, components: document.components });
  const amounts = Array.from({ length: 2000 }, (_, cents) => (cents + 1) / 100);
  expect(amounts.filter((usd) => !validate({ usd, method: "card" }))).toEqual([]);
  expect([0, 1_000_001, "1"].filter((usd) => validate({ usd, method: "card" }))).toEqual([]);
  for (const usd of amounts) emulator.accounts.topUp(emulator.accountId, { usd, method: "crypto" });
});
