import {
  type AsyncMusic,
  ConnectionError,
  InvalidResponseError,
  RateLimitedError,
  ServerError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { cutting, listen, reply, replying, type Treatment } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import { TASK_ID, task } from "../support/responses.js";
import { API_KEY } from "../support/world.js";

// Errors, retry rules: reads may be sent again, with backoff.

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

const USAGE = { tasks_created: 1, credits_used: 2, credits_topped_up: 3 };

/** The three reads, their paths, and the data of their responses. */
const READS: [name: string, read: (client: AsyncMusic) => Promise<unknown>, path: string, data: unknown][] = [
  ["retrieve", (client) => client.tasks.retrieve(TASK_ID), `task/${TASK_ID}`, task()],
  ["balance", (client) => client.account.balance(), "account/balance", { available: 1, frozen: 2, total: 3 }],
  ["usage", (client) => client.account.usage(), "account/usage", USAGE],
];

type ErrorClass = abstract new (...details: never[]) => Error;

/** What each of the three attempts receives, and the error after the last one. */
const TRANSIENT: [what: string, treat: Treatment, kind: ErrorClass, properties: object][] = [
  ["500", replying(500, { code: 500, error_code: "internal_error" }), ServerError, { status: 500 }],
  ["502", replying(502, { code: 502, error_code: "upstream_provider_error" }), ServerError, { status: 502 }],
  ["503", replying(503, "", { "Retry-After": "1" }), ServerError, { status: 503, errorCode: null }],
  [
    "an HTML 504",
    replying(504, "<h1>no</h1>", { "Content-Type": "text/html" }),
    ServerError,
    { status: 504 },
  ],
  ["a cut 500", cutting("HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n{"), ServerError, { status: 500 }],
  ["a cut before the headers", cutting(""), ConnectionError, {}],
  ["a cut in the headers", cutting(`${HEAD}Content-`), ConnectionError, {}],
  ["a cut after the headers", cutting(`${HEAD}Content-Length: 50\r\n\r\n`), ConnectionError, {}],
  ["a cut in the body", cutting(`${HEAD}Content-Length: 50\r\n\r\n{"code`), ConnectionError, {}],
  ["a response that is not HTTP", cutting("220 ESMTP\r\n"), ConnectionError, {}],
  ["429", replying(429, { code: 429, error_code: "rate_limited" }), RateLimitedError, { status: 429 }],
];

describe.each(READS)("%s", (_, read, path, data) => {
  test.each(TRANSIENT)("is sent three times with %s, then fails", async (_, treat, kind, properties) => {
    const server = await listen(treat);
    const { client } = connect(server);
    const error = await rejection(read(client), kind);
    const arrivals = server.arrivals.map(({ method, path }) => [method, path]);
    expect(arrivals).toEqual(Array(3).fill(["GET", `/api/v1/${path}`]));
    expect(error).toMatchObject({ ...properties, requestId: server.arrivals[0]?.headers["x-request-id"] });
    expectNoKey(error, API_KEY);
  });

  test.each(TRANSIENT)("succeeds when %s ends after two attempts", async (_, treat) => {
    const server = await listen((to, request, index) =>
      index < 2 ? treat(to, request, index) : reply(to, 200, { code: 200, data }),
    );
    const { client } = connect(server);
    await expect(read(client)).resolves.toEqual(data);
    expect(server.arrivals).toHaveLength(3);
  });
});

const BROKEN: [what: string, status: number, body: string][] = [
  ["cut JSON", 200, '{"code":200,"data":{"avail'],
  ["HTML", 200, "<p>hello</p>"],
  ["an empty body", 200, ""],
  ["null", 200, "null"],
  ["a list", 200, "[]"],
  ["no data", 200, '{"code":200}'],
  ["data that is null", 200, '{"code":200,"data":null}'],
  ["data that is a string", 200, '{"code":200,"data":"x"}'],
  ["a missing field", 200, '{"code":200,"data":{"available":1,"frozen":2}}'],
  ["a field of the wrong type", 200, '{"code":200,"data":{"available":"1","frozen":2,"total":3}}'],
  ["no content at all", 204, ""],
];

test.each(BROKEN)("a read that receives %s is an InvalidResponseError", async (_, status, body) => {
  const server = await listen((to) => (status === 204 ? to.writeHead(204).end() : reply(to, status, body)));
  const { client } = connect(server);
  const error = await rejection(client.account.balance({ requestId: "asked-1" }), InvalidResponseError);
  expect(error.requestId).toBe("asked-1");
  expect(error.issues.length).toBeGreaterThan(0);
  expect(server.arrivals).toHaveLength(1);
  expectNoKey(error, API_KEY);
});

test("a read of an address that refuses connections is a ConnectionError after the retries", async () => {
  const server = await listen(() => {});
  await server.close();
  const { client, clock } = connect(server);
  expectNoKey(await rejection(client.account.usage(), ConnectionError), API_KEY);
  expect(clock.sleeps).toHaveLength(2);
});

test("a read of a name that does not resolve is a ConnectionError", async () => {
  const { client } = connect({ url: "http://does-not-exist.invalid" }, { maxRetries: 0 });
  expectNoKey(await rejection(client.account.usage(), ConnectionError), API_KEY);
});
