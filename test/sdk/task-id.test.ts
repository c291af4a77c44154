import { InvalidRequestError, SubmissionOutcomeUnknownError } from "async-music";
import { expect, test } from "vitest";
import { accepted, CLIP, ok, refusal, SONG_REQUEST, submission, TASK_ID, task } from "../support/answers.js";
import { expectNoKey } from "../support/leaks.js";
import { rejection } from "../support/rejection.js";
import { API_KEY, createWorld } from "../support/world.js";

const BAD_IDS = ["", ".", "..", "\ud800", undefined, null, 7, {}];
test.each(BAD_IDS)("%j is refused as a task id, and nothing is sent", async (id) => {
  const { client, requests } = createWorld(() => accepted());
  await rejection(client.tasks.retrieve(id as string), InvalidRequestError);
  await rejection(client.tasks.wait(id as string), InvalidRequestError);
  expect(() => client.tasks.watch(id as string)).toThrow(InvalidRequestError);
  expect(requests).toEqual([]);
});

test.each([" ", ".", "..", "\ud800", API_KEY])(
  "a response with the unusable task id %j leaves the outcome of the POST unknown",
  async (id) => {
    const { client, requests } = createWorld(() => accepted({ task_id: id }));
    const error = await rejection(client.tasks.run(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
    expectNoKey(error, API_KEY);
    expect(requests).toHaveLength(1);
  },
);

const ODD_IDS = ["a/b", "../account/balance", "a?b=c", "a#b", "%2e%2e", "ü", "a b"];
test.each(ODD_IDS)("the task id %j is encoded as one path segment", async (id) => {
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

test("a submission without a valid task id is refused before anything is sent", async () => {
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

test("a string that contains the API key is refused as a task id and not shown", async () => {
  const { client, requests } = createWorld(() => accepted());
  expectNoKey(await rejection(client.tasks.retrieve(`Bearer ${API_KEY}`), InvalidRequestError), API_KEY);
  expect(requests).toEqual([]);
});
