import {
  AsyncMusic,
  AsyncMusicError,
  memoryBudget,
  memoryJournal,
  type RunOptions,
  settleOutcome,
  WaitTimeoutError,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { away, journaledWorld, KEY } from "../support/journaled.js";
import { journalEntry } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  ok,
  refusal,
  running,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
} from "../support/responses.js";
import { type Answerer, createWorld, inTurn } from "../support/world.js";

// What the errors of a run advise: with a journal, only the same key again closes the key and settles its reservation.

/** The error of a call, of any class of the package. */
async function failure(call: Promise<unknown>): Promise<AsyncMusicError> {
  const reason: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(reason instanceof AsyncMusicError))
    throw new Error("Expected an error of the package", { cause: reason });
  return reason;
}

const throws = () => {
  throw new Error("of the application");
};

const NAMED = { data: { task_id: TASK_ID } };
const ERRORS: [what: string, answer: Answerer, options?: RunOptions][] = [
  ["a wait that takes too long", inTurn(accepted, running), { maxWaitMs: 20_000 }],
  ["a 401 during the wait", inTurn(accepted, () => refusal(401, "invalid_api_key"))],
  ["an unusable result", inTurn(accepted, () => ok(succeeded({ output: { result: [{}] } })))],
  ["an incomplete submission", () => Response.json({ code: 202, ...NAMED }, { status: 202 })],
  ["a broken response that names the task", () => new Response(JSON.stringify(NAMED).slice(0, -1))],
  ["an `onSubmitted` that throws", inTurn(accepted, done), { onSubmitted: throws }],
  ["an `onUpdate` that throws", inTurn(accepted, done), { onUpdate: throws }],
];

describe.each(ERRORS)("after %s", (_, answer, options) => {
  test("a run with a journal advises to run the same key again, which is not charged again", async () => {
    const { run, requests } = journaledWorld(answer);
    const { message, taskId } = await failure(run(options));
    expect(taskId).toBe(TASK_ID);
    expect(message).toContain(`Run journal key "${KEY}" again.`);
    expect(message).not.toContain("client.tasks.wait");
    await run({ maxWaitMs: 10_000 }).catch(() => {});
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("a run without a journal advises to wait for the task", async () => {
    const { client } = createWorld(answer);
    const { message } = await failure(client.tasks.run(SONG_REQUEST, options));
    expect(message).toContain(`Resume with client.tasks.wait("${TASK_ID}").`);
    expect(message).not.toContain("journal");
  });
});

test("following the advice of a wait that took too long closes the key, and settles its reservation", async () => {
  const emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const journal = memoryJournal();
  const budget = memoryBudget({ maxCredits: 15, per: "day" });
  emulator.providers.provider_a.next({ queue_seconds: 10, process_seconds: 100 });
  const run = (options: RunOptions = {}) =>
    client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, tenant: "t", budget, ...options });
  const { message } = await rejection(run({ maxWaitMs: 20_000 }), WaitTimeoutError);
  expect(message).toContain(`Run journal key "${KEY}" again.`);
  await run();
  expect(await journal.open()).toEqual([]);
  expect(await budget.usage("t")).toMatchObject({ spent: 10, reserved: 0 });
});

test.each([
  ["with a journal", { journal: memoryJournal(), journalKey: KEY }, `Run journal key "${KEY}" again.`],
  ["without a journal", {}, "Compare account.usage().tasks_created before you send it again."],
])(
  "the error of an own abort in flight %s names what receives the task, and the next step",
  async (_, options, advice) => {
    const leaving = new AbortController();
    const { client } = createWorld(({ method }) => {
      if (method === "POST") leaving.abort();
      return method === "POST" ? accepted() : done();
    });
    const left = client.tasks.run(SONG_REQUEST, { ...options, signal: leaving.signal });
    const { message } = await failure(left);
    expect(message).toContain(
      `\`onSubmitted\` and the event \`submission\` still receive the task. ${advice}`,
    );
    expect(message.includes("journal")).toBe("journal" in options);
    await client.tasks.flush();
  },
);

test("following the advice of a task that the journal could not record continues with it in another process", async () => {
  const world = journaledWorld(({ method }) => (method === "POST" ? accepted() : done()));
  world.broken.put = (key, entry, previous) =>
    entry.state === "submitted" ? Promise.reject(away) : world.inner.put(key, entry, previous);
  const { journal } = world;
  const create = world.client.tasks.create(SONG_REQUEST, { journal, journalKey: KEY });
  const { message, taskId } = await failure(create);
  expect(message).toContain(`Call settleOutcome(journal, "${KEY}", "${TASK_ID}").`);
  expect(message).not.toContain("client.tasks.wait");

  delete world.broken.put;
  expect(await settleOutcome(journal, KEY, taskId)).toBe(true);
  const next = journaledWorld(done, { inner: world.inner });
  expect((await next.run()).task_id).toBe(TASK_ID);
  expect(await next.inner.open()).toEqual([]);
});

test("a task whose key holds another one has no place in the journal: the error advises to wait for it", async () => {
  const world = journaledWorld(({ method }) => (method === "POST" ? accepted() : done()));
  const other = "0b8d2c44-5a7e-4f0e-8f3b-6f1f2f9a7c10";
  const { inner, journal } = world;
  world.broken.put = async (key, entry, previous) => {
    if (entry.state !== "submitted") return inner.put(key, entry, previous);
    const held = (await inner.get(key))?.revision ?? null;
    await inner.put(key, journalEntry("submitted", { task_id: other }), held);
    return false;
  };
  const create = world.client.tasks.create(SONG_REQUEST, { journal, journalKey: KEY });
  const { message } = await failure(create);
  expect(message).toContain(`Resume with client.tasks.wait("${TASK_ID}").`);
});
