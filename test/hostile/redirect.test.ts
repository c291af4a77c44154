import { ApiError, AsyncMusic, SubmissionOutcomeUnknownError, WaitTimeoutError } from "async-music";
import { describe, expect, test } from "vitest";
import { SONG_REQUEST, TASK_ID } from "../support/answers.js";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { listen, reply } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import { API_KEY } from "../support/world.js";

// The key stands in a header of our own making, which a followed redirect would carry to another origin.

const CALLS: [name: string, call: (client: AsyncMusic) => Promise<unknown>][] = [
  ["create", (client) => client.tasks.create(SONG_REQUEST)],
  ["retrieve", (client) => client.tasks.retrieve(TASK_ID)],
  ["balance", (client) => client.account.balance()],
  ["usage", (client) => client.account.usage()],
];

async function redirecting(status: number, location: (elsewhere: string) => string) {
  const elsewhere = await listen((to) => reply(to, 200, { code: 200, data: {} }));
  const server = await listen((to) => to.writeHead(status, { Location: location(elsewhere.url) }).end());
  return { elsewhere, server, ...connect(server) };
}

describe.each([300, 301, 302, 303, 307, 308])("a %i", (status) => {
  test.each(CALLS)("is an error of %s, and the other origin never hears of it", async (_, call) => {
    const { elsewhere, server, client } = await redirecting(status, (url) => `${url}/api/v1/task`);
    const error = await rejection(call(client), ApiError);
    expect(error).toMatchObject({ status, errorCode: null });
    expect(error).not.toBeInstanceOf(SubmissionOutcomeUnknownError);
    expect(error.message).toContain("redirect");
    expect(elsewhere.connections()).toBe(0);
    expect(server.arrivals).toHaveLength(1);
    expectNoKey(error, API_KEY);
  });

  test("is no answer to a poll either", async () => {
    const { elsewhere, client } = await redirecting(status, (url) => url);
    await rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 20_000 }), WaitTimeoutError);
    expect(elsewhere.connections()).toBe(0);
  });
});

test("a redirect within the service is not followed either", async () => {
  const server = await listen((to) => to.writeHead(307, { Location: "/elsewhere" }).end());
  const { client } = connect(server);
  await rejection(client.tasks.create(SONG_REQUEST), ApiError);
  expect(server.arrivals.map(({ path }) => path)).toEqual(["/api/v1/task"]);
});

test("an error that shows where a redirect led shows no key there", async () => {
  const { client } = await redirecting(302, (url) => `${url}/?key=${API_KEY}`);
  const error = await rejection(client.account.balance(), ApiError);
  expect(error.headers.get("Location")).toContain("[redacted]");
  expectNoKey(error, API_KEY);
});

test("a redirect of which a browser shows nothing, not even its status, is one all the same", async () => {
  const fetch = async () => Response.error();
  const client = new AsyncMusic({ apiKey: API_KEY, baseUrl: "https://music.example", fetch });
  for (const [, call] of CALLS) {
    const error = await rejection(call(client), ApiError);
    expect(error).toMatchObject({ status: 0, errorCode: null });
    expect(error.message).toContain("redirect");
  }
});
