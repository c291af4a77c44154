import { InvalidRequestError, SubmissionOutcomeUnknownError } from "async-music";
import { expect, test } from "vitest";
import { accepted, CLIP, refusal, SONG_REQUEST, submission } from "../support/answers.js";
import { expectNoKey } from "../support/leaks.js";
import { rejection } from "../support/rejection.js";
import { API_KEY, createWorld } from "../support/world.js";

test.each(["", ".", "..", "\ud800", undefined, null, 7, {}])(
  "%j is refused as a task id, and nothing is sent",
  async (id) => {
    const { client, requests } = createWorld(() => accepted());
    await rejection(client.tasks.retrieve(id as string), InvalidRequestError);
    await rejection(client.tasks.wait(id as string), InvalidRequestError);
    expect(() => client.tasks.watch(id as string)).toThrow(InvalidRequestError);
    expect(requests).toEqual([]);
  },
);

test.each([" ", ".", "..", "\ud800", API_KEY])(
  "a service that names a task %j has left the outcome of the POST unknown: nothing can be waited for",
  async (id) => {
    const { client, requests } = createWorld(() => accepted({ task_id: id }));
    const error = await rejection(client.tasks.run(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
    expectNoKey(error, API_KEY);
    expect(requests).toHaveLength(1);
  },
);

test.each(["a/b", "../account/balance", "a?b=c", "a#b", "%2e%2e", "ü", "a b"])(
  "the task id %j stays one step of the path",
  async (id) => {
    const { client, requests } = createWorld(() => refusal(404, "task_not_found"));
    await expect(client.tasks.retrieve(id)).rejects.toMatchObject({ name: "TaskNotFoundError", taskId: id });
    expect(requests[0]?.path).toBe(`/api/v1/task/${encodeURIComponent(id)}`);
  },
);

test.each([
  [Promise.resolve(submission()), "; it is a promise: await it first"],
  [CLIP, "; it is a clip: its task has an id of its own"],
  [7, ". Nothing was sent."],
])("what is waited for and is no task is refused by name: %j", async (given, words) => {
  const { client } = createWorld(() => accepted());
  const { message } = await rejection(client.tasks.wait(given as never), InvalidRequestError);
  expect(message).toContain(`\`task\` must be the id of a task, or what \`create\` answered${words}`);
});

test("a text that holds the key is no task id, and is not shown", async () => {
  const { client, requests } = createWorld(() => accepted());
  expectNoKey(await rejection(client.tasks.retrieve(`Bearer ${API_KEY}`), InvalidRequestError), API_KEY);
  expect(requests).toEqual([]);
});
