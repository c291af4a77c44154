import { createEmulator, type EmulatorOptions } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { createService, failWith, VALID } from "./support/service.js";

const HOUR_MS = 3_600_000;
/** The emulator's time at its start. */
const NOW = Date.UTC(2026, 0, 1);

/** A limit of the interface or of a guide: the values next to it on both sides, and what checks one. */
interface Limit {
  name: string;
  accepted: readonly unknown[];
  refused: readonly unknown[];
  check(value: unknown): unknown;
}

const emulatorWith = (options: object) => createEmulator(options as EmulatorOptions);
const account = () => {
  const { accounts, accountId } = createEmulator({ credits: 0 });
  return { accounts, id: accountId };
};

/** A body of lists in lists whose innermost list is so many levels below the body. */
const lists = (levels: number) => {
  const list = "[".repeat(levels - 1) + "]".repeat(levels - 1);
  return `{"model":"provider_a","task_type":"lyrics","input":{"prompt":"rain","deep":${list}}}`;
};

/** A song of a seed file, as the only task of its account. */
const seeded = (task: object, seedAccount: object = {}) => {
  const song = { model: "provider_a", task_type: "music", input: { tags: "polka" }, ...task };
  return emulatorWith({ seedFile: { accounts: [{ ...seedAccount, tasks: [song] }] } });
};
const at = (ms: number) => new Date(ms).toISOString();
const ids = (length: number) => Array.from({ length }, (_, index) => `clip-${index}`);

async function submit(body: unknown, headers: Record<string, string> = {}, options: EmulatorOptions = {}) {
  const reply = await createService(options).post(body, headers);
  if (reply.status !== 202) throw new RangeError(reply.body.message);
}

const LIMITS: readonly Limit[] = [
  {
    name: "the levels of a body: 500, below the body itself",
    accepted: [499, 500],
    refused: [501, 502],
    check: (levels) => submit(lists(Number(levels))),
  },
  {
    name: "the clips of an outcome in the header: 0 to 20",
    accepted: [0, 1, 20],
    refused: [-1, 0.5, 21],
    check: (clips) => submit(VALID.song, { "X-Emulator-Outcome": JSON.stringify({ clips }) }),
  },
  {
    name: "the clips of a later outcome: 0 to 20",
    accepted: [0, 20],
    refused: [-1, 21],
    check: (clips) => createEmulator().providers.provider_a.always({ clips: Number(clips) }),
  },
  {
    name: "the read that ends a task: from 1",
    accepted: [1, 2],
    refused: [0, 0.5],
    check: (polls) => createEmulator().providers.provider_a.next({ polls: Number(polls) }),
  },
  {
    name: "the durations of an outcome: from 0 s",
    accepted: [0, 0.001],
    refused: [-0.001],
    check: (seconds) => createEmulator().providers.provider_a.next({ queue_seconds: Number(seconds) }),
  },
  {
    name: "the wait of a failure: from 0 s, in whole seconds",
    accepted: [0, 1, null],
    refused: [-1, 0.5],
    check: (retry_after_seconds) =>
      createEmulator().providers.provider_a.next({
        outcome: "failure",
        retry_after_seconds: retry_after_seconds === null ? null : Number(retry_after_seconds),
      }),
  },
  {
    name: "the status of a fault: 200 to 599",
    accepted: [200, 201, 598, 599],
    refused: [199, 600],
    check: (status) => createService().fault(failWith(Number(status))),
  },
  {
    name: "the probability of a fault: above 0, at most 1",
    accepted: [0.001, 1],
    refused: [0, -0.001, 1.001],
    check: (probability) => createService().fault({ kind: "stall" }, { probability: Number(probability) }),
  },
  {
    name: "how often a fault fires: from once",
    accepted: [1, 2],
    refused: [0, 1.5],
    check: (times) => createService().fault({ kind: "stall" }, { times: Number(times) }),
  },
  {
    name: "the requests of a window: from 1",
    accepted: [1, 2],
    refused: [0, 0.999],
    check: (requests) => emulatorWith({ limits: { requests } }),
  },
  {
    name: "the status of an error that the interface leaves open: 400 to 599",
    accepted: [400, 401, 598, 599],
    refused: [399, 600],
    check: (invalid_audio_format_status) => emulatorWith({ policy: { invalid_audio_format_status } }),
  },
  {
    name: "a manual top-up: 0.01 to 1,000,000 USD, in whole cents",
    accepted: [0.01, 0.02, 999_999.99, 1_000_000],
    refused: [0, 0.001, 0.015, 1_000_000.01],
    check: (usd) => {
      const { accounts, id } = account();
      accounts.topUp(id, { usd: Number(usd), method: "crypto" });
    },
  },
  {
    name: "the name of a key: at most 100 characters",
    accepted: ["", "x".repeat(99), "x".repeat(100)],
    refused: ["x".repeat(101)],
    check: (name) => {
      const { accounts, id } = account();
      accounts.updateKey(id, accounts.createKey(id).key_id, { name: String(name) });
    },
  },
  {
    name: "a line of the billing information: 1 to 100 characters",
    accepted: ["x", "x".repeat(99), "x".repeat(100)],
    refused: ["", "x".repeat(101)],
    check: (name) => {
      const { accounts, id } = account();
      accounts.setBilling(id, { name: String(name), address_line_1: "1", city: "Porto", country: "PT" });
    },
  },
  {
    name: "the clock: up to the year 9900, never back",
    accepted: [0, 1, Date.UTC(9900, 0, 1) - NOW - 1, Date.UTC(9900, 0, 1) - NOW],
    refused: [-1, Date.UTC(9900, 0, 1) - NOW + 1],
    check: (ms) => createEmulator().clock.advance(Number(ms)),
  },
  {
    name: "the time of a seed file: 1970 to 9900",
    accepted: [at(0), at(1), at(Date.UTC(9900, 0, 1))],
    refused: [at(-1), at(Date.UTC(9900, 0, 1) + 1)],
    check: (time) => emulatorWith({ seedFile: { time } }),
  },
  {
    name: "the clips of a seeded success: 0 to 20",
    accepted: [0, 20],
    refused: [-1, 21],
    check: (clips) => seeded({ status: "success", clips }),
  },
  {
    name: "the IDs of a seeded success: at most 20",
    accepted: [ids(0), ids(19), ids(20)],
    refused: [ids(21)],
    check: (clip_ids) => seeded({ status: "success", clip_ids }),
  },
  {
    name: "the length of a seeded clip ID: 1 to 100 characters",
    accepted: ["x", "x".repeat(100)],
    refused: ["", "x".repeat(101)],
    check: (id) => seeded({ status: "success", clip_ids: [id] }),
  },
  {
    name: "the creation of a seeded task: not after the emulator's time",
    accepted: [at(NOW - 1), at(NOW)],
    refused: [at(NOW + 1)],
    check: (created_at) => seeded({ status: "success", created_at }),
  },
  {
    name: "the creation of a seeded task: not before 1970",
    accepted: [at(0), at(1)],
    refused: [at(-1)],
    check: (created_at) => seeded({ status: "success", created_at }),
  },
  {
    name: "the age of a seeded unfinished task: at most an hour",
    accepted: [at(NOW - HOUR_MS + 1), at(NOW - HOUR_MS)],
    refused: [at(NOW - HOUR_MS - 1)],
    check: (created_at) => seeded({ status: "running", created_at }),
  },
  {
    name: "the age of a seeded timeout: more than an hour",
    accepted: [at(NOW - HOUR_MS - 1)],
    refused: [at(NOW - HOUR_MS), at(NOW - HOUR_MS + 1)],
    check: (created_at) => seeded({ status: "timeout", created_at }),
  },
  {
    name: "how long a seeded task took: at most an hour",
    accepted: [3599.999, 3600],
    refused: [3600.001],
    check: (process_seconds) => seeded({ status: "success", created_ago: "1d", process_seconds }),
  },
  {
    name: "how long a seeded task took: at most its age",
    accepted: [89.999, 90],
    refused: [90.001],
    check: (process_seconds) => seeded({ status: "failure", created_ago: "90s", process_seconds }),
  },
  {
    name: "the credits of an account with a seeded refund: at least its price",
    accepted: [10, 11],
    refused: [9],
    check: (credits) => seeded({ status: "timeout", created_ago: "2h" }, { credits }),
  },
];

describe.each(LIMITS)("$name", ({ accepted, refused, check }) => {
  test.each(accepted.map((value) => ({ value })))("$value is accepted", async ({ value }) => {
    expect(await verdictOf(check, value)).toBe("accepted");
  });

  test.each(refused.map((value) => ({ value })))("$value is refused", async ({ value }) => {
    expect(await verdictOf(check, value)).toBe("refused");
  });
});

async function verdictOf(check: Limit["check"], value: unknown): Promise<"accepted" | "refused"> {
  try {
    await check(value);
    return "accepted";
  } catch (error) {
    if (error instanceof RangeError) return "refused";
    throw error;
  }
}
