import {
  type AsyncMusic,
  InvalidRequestError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  type TaskSubmission,
  WaitTimeoutError,
} from "async-music";
import { expect, test } from "vitest";
import { all } from "../support/collect.js";
import { journalEntry } from "../support/journals.js";
import { expectNoKey } from "../support/leaks.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  CLIP,
  ok,
  refusal,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "../support/responses.js";
import { API_KEY, arrivals, createWorld, gaps } from "../support/world.js";

const BAD_IDS = ["", ".", "..", "\ud800", `Bearer ${API_KEY}`, undefined, null, 7, {}];
test.each(BAD_IDS)("%j is refused as a task ID, and nothing is sent", async (id) => {
  const { client, requests } = createWorld(() => accepted());
  expectNoKey(await rejection(client.tasks.retrieve(id as string), InvalidRequestError), API_KEY);
  await rejection(client.tasks.wait(id as string), InvalidRequestError);
  expect(() => client.tasks.watch(id as string)).toThrow(InvalidRequestError);
  expect(requests).toEqual([]);
});

test.each([" ", ".", "..", "\ud800", API_KEY])(
  "after a response with the task ID %j, the outcome is unknown",
  async (id) => {
    const { client, requests } = createWorld(() => accepted({ task_id: id }));
    const error = await rejection(client.tasks.run(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
    expectNoKey(error, API_KEY);
    expect(requests).toHaveLength(1);
  },
);

const ODD_IDS = ["a/b", "../account/balance", "a?b=c", "a#b", "%2e%2e", "ü", "a b"];
test.each(ODD_IDS)("the task ID %j is encoded as one path segment", async (id) => {
  const { client, requests } = createWorld(() => refusal(404, "task_not_found"));
  await expect(client.tasks.retrieve(id)).rejects.toMatchObject({ name: "TaskNotFoundError", taskId: id });
  expect(requests[0]?.path).toBe(`/api/v1/task/${encodeURIComponent(id)}`);
});

test("retrieve takes the id of a task, its submission, and a submission after JSON", async () => {
  const { client, requests } = createWorld(({ method }) => (method === "POST" ? accepted() : ok(task())));
  const created = await client.tasks.create(SONG_REQUEST);
  for (const given of [TASK_ID, created, JSON.parse(JSON.stringify(created))]) {
    expect((await client.tasks.retrieve(given)).task_id).toBe(TASK_ID);
    const { data, rateLimit } = await client.tasks.retrieve(given).withResponse();
    expect([data.task_id, rateLimit]).toEqual([TASK_ID, { remaining: null }]);
  }
  expect(new Set(requests.slice(1).map(({ path }) => path))).toEqual(new Set([`/api/v1/task/${TASK_ID}`]));
});

test("a submission without a valid task ID is refused before anything is sent", async () => {
  const { client, requests } = createWorld(() => ok(task()));
  for (const given of [
    { ...submission(), task_id: undefined },
    { ...submission(), task_id: ".." },
  ]) {
    await rejection(client.tasks.retrieve(given as never), InvalidRequestError);
    await rejection(client.tasks.wait(given as never), InvalidRequestError);
    expect(() => client.tasks.watch(given as never)).toThrow(InvalidRequestError);
  }
  expect(requests).toEqual([]);
});

test.each([
  [Promise.resolve(submission()), "; got a promise: await it first"],
  [CLIP, "; got a clip: pass the ID of its task"],
  [7, ". Nothing was sent."],
])("a value that is not a task is refused, and the error describes it: %j", async (given, words) => {
  const { client } = createWorld(() => accepted());
  const { message } = await rejection(client.tasks.wait(given as never), InvalidRequestError);
  expect((await rejection(client.tasks.retrieve(given as never), InvalidRequestError)).message).toBe(message);
  expect(message).toContain(`\`task\` must be a task ID or the result of \`create\`${words}`);
});

const saved = (task_id: string) => JSON.parse(JSON.stringify(submission({ task_id }))) as TaskSubmission;

/** Every way to name a task: each reads it until it has succeeded, or once. */
const WAYS: Record<string, (client: AsyncMusic, id: string) => Promise<unknown>> = {
  "retrieve(id)": (client, id) => client.tasks.retrieve(id),
  "retrieve(submission)": (client, id) => client.tasks.retrieve(saved(id)),
  "wait(id)": (client, id) => client.tasks.wait(id),
  "wait(submission)": (client, id) => client.tasks.wait(saved(id)),
  "watch(id)": (client, id) => all(client.tasks.watch(id)),
  "watch(submission)": (client, id) => all(client.tasks.watch(saved(id))),
  async "run, with the id in the journal"(client, id) {
    const journal = memoryJournal();
    await journal.put("order-1", journalEntry("submitted", { task_id: id }), null);
    return client.tasks.run(SONG_REQUEST, { journal, journalKey: "order-1" });
  },
  async "run, after settleOutcome"(client, id) {
    const journal = memoryJournal();
    await journal.put("order-1", journalEntry("intent"), null);
    await settleOutcome(journal, "order-1", id);
    return client.tasks.run(SONG_REQUEST, { journal, journalKey: "order-1" });
  },
};
const ways = Object.keys(WAYS);

test.each(ways.flatMap((one) => ways.map((other) => [one, other] as const)))(
  "%s and %s share reads, whatever the case of the id",
  async (one, other) => {
    const readBoth = async (id: string) => {
      const world = createWorld(({ at }) => ok(at >= 7000 ? succeeded() : task()));
      await Promise.all([WAYS[one]?.(world.client, TASK_ID), WAYS[other]?.(world.client, id)]);
      return world;
    };
    const same = await readBoth(TASK_ID);
    const inUpperCase = await readBoth(TASK_ID.toUpperCase());
    expect(arrivals(inUpperCase)).toEqual(arrivals(same));
    expect(Math.min(...gaps(arrivals(inUpperCase)), 1000)).toBe(1000);
    expect(new Set(inUpperCase.requests.map(({ path }) => path))).toEqual(
      new Set([`/api/v1/task/${TASK_ID}`]),
    );
  },
);

test("an error has the id in lower case", async () => {
  const { client } = createWorld(() => ok(task()));
  const { taskId } = await rejection(
    client.tasks.wait(TASK_ID.toUpperCase(), { maxWaitMs: 1 }),
    WaitTimeoutError,
  );
  expect(taskId).toBe(TASK_ID);
});

test("a custom pacer receives the id in lower case", async () => {
  const { pacer, asked, told } = createOwnPacer();
  const { client } = createWorld(() => ok(succeeded()), { pacer });
  await client.tasks.wait(TASK_ID.toUpperCase());
  await client.tasks.retrieve(TASK_ID.toUpperCase());
  expect([...asked, ...told].map(({ taskId }) => taskId)).toEqual(Array.from({ length: 4 }, () => TASK_ID));
});
