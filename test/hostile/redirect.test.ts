import { ApiError, AsyncMusic, SubmissionOutcomeUnknownError, WaitTimeoutError } from "async-music";
import { describe, expect, test } from "vitest";
import { CALLS } from "../support/calls.js";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { listen, reply } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import { TASK_ID } from "../support/responses.js";
import { API_KEY } from "../support/world.js";

// A followed redirect would send the key, which is in a custom header, to another origin.

async function redirecting(status: number, location: (elsewhere: string) => string) {
  const elsewhere = await listen((to) => reply(to, 200, { code: 200, data: {} }));
  const server = await listen((to) => to.writeHead(status, { Location: location(elsewhere.url) }).end());
  return { elsewhere, server, ...connect(server) };
}

describe.each([300, 301, 302, 303, 307, 308])("a %i", (status) => {
  test.each(CALLS)("is an error of %s, and the other origin receives nothing", async (_, call) => {
    const { elsewhere, server, client } = await redirecting(status, (url) => `${url}/api/v1/task`);
    const error = await rejection(call(client), ApiError);
    expect(error).toMatchObject({ status, errorCode: null });
    expect(error).not.toBeInstanceOf(SubmissionOutcomeUnknownError);
    expect(error.message).toContain("redirect");
    expect(elsewhere.connections()).toBe(0);
    expect(server.arrivals).toHaveLength(1);
    expectNoKey(error, API_KEY);
  });

  test("does not end a poll", async () => {
    const { elsewhere, client } = await redirecting(status, (url) => url);
    await rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 20_000 }), WaitTimeoutError);
    expect(elsewhere.connections()).toBe(0);
  });
});

test("the Location of a redirect is in the error without the key", async () => {
  const { client } = await redirecting(302, (url) => `${url}/?key=${API_KEY}`);
  const error = await rejection(client.account.balance(), ApiError);
  expect(error.headers.get("Location")).toContain("[redacted]");
  expectNoKey(error, API_KEY);
});

test("the opaque response that a browser returns for a redirect is reported as a redirect", async () => {
  // Only its type distinguishes it from a network error.
  const fetch = async () => Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
  const client = new AsyncMusic({ apiKey: API_KEY, baseUrl: "https://music.example", fetch });
  for (const [, call] of CALLS) {
    const error = await rejection(call(client), ApiError);
    expect(error).toMatchObject({ status: 0, errorCode: null });
    expect(error.message).toContain("redirect");
  }
});
