import { once } from "node:events";
import { brotliCompressSync, constants } from "node:zlib";
import { InsufficientCreditsError, InvalidResponseError, SubmissionOutcomeUnknownError } from "async-music";
import { describe, expect, test } from "vitest";
import { MAX_RESPONSE_BYTES } from "../../src/http/exchange.js";
import { connect } from "../support/connect.js";
import { listen } from "../support/loopback.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { accepted, ok, SONG_REQUEST, submission, succeeded, TASK_ID, task } from "../support/responses.js";
import { createWorld } from "../support/world.js";

// A response may be of any size: no more than 16 MiB of it is read.

const MEBIBYTE = 2 ** 20;
const START = `{"code":202,"data":${JSON.stringify(submission()).slice(0, -1)},"padding":"`;

function endless(pieceBytes = MEBIBYTE) {
  const seen = { bytes: 0, isCanceled: false };
  const start = new TextEncoder().encode(START);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = new Uint8Array(pieceBytes).fill(0x20);
      if (seen.bytes === 0) piece.set(start);
      seen.bytes += piece.byteLength;
      controller.enqueue(piece);
    },
    cancel() {
      seen.isCanceled = true;
    },
  });
  return { body, seen };
}

function sized(data: object, bytes: number): string {
  const text = JSON.stringify({ code: 200, data, padding: "" });
  return `${text.slice(0, -2)}${"x".repeat(bytes - text.length)}"}`;
}

describe("a response that never ends", () => {
  /** A client whose requests all receive the endless body. */
  const open = (status: number, pieceBytes?: number) => {
    const { body, seen } = endless(pieceBytes);
    const { pacer, told } = createOwnPacer();
    const { client, requests } = createWorld(() => new Response(body, { status }), { pacer });
    const expectClosed = () => {
      expect(seen.isCanceled).toBe(true);
      expect([requests.length, told.length]).toEqual([1, 1]);
    };
    return { client, seen, expectClosed };
  };

  test.each([
    [202, MEBIBYTE],
    [202, 40 * MEBIBYTE],
    [500, MEBIBYTE],
  ])("to a create with a %i leaves the outcome unknown, in pieces of %i bytes", async (...row) => {
    const [status, pieceBytes] = row;
    const { client, seen, expectClosed } = open(status, pieceBytes);
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ taskId: TASK_ID, status, request: SONG_REQUEST });
    if (status === 202) {
      expect(error.message).toContain("too large");
      expect(error.cause).toBeInstanceOf(InvalidResponseError);
    }
    expect(seen.bytes).toBeLessThanOrEqual(MAX_RESPONSE_BYTES + 3 * pieceBytes);
    expectClosed();
  });

  test("to a create with a 402 is that error, without its body", async () => {
    const { client, expectClosed } = open(402);
    const error = await rejection(client.tasks.create(SONG_REQUEST), InsufficientCreditsError);
    expect(error.message.length).toBeLessThan(1000);
    expectClosed();
  });

  test("to a read is an InvalidResponseError that is not retried", async () => {
    const { client, expectClosed } = open(200);
    const error = await rejection(client.account.balance(), InvalidResponseError);
    expect(error.issues).toEqual([{ path: "", message: `is larger than ${16 * MEBIBYTE} bytes` }]);
    expectClosed();
  });

  test("to a poll does not end the wait", async () => {
    const { client, requests } = createWorld((_, index) =>
      index === 0 ? new Response(endless().body) : ok(succeeded()),
    );
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ status: "success" });
    expect(requests).toHaveLength(2);
  });
});

// An error of which no code was read may be that of a gateway.
test.each([
  [200, 7],
  [429, null],
])(
  "a response with HTTP %i that is too large reports its remaining requests: %s",
  async (status, reported) => {
    const { pacer, told } = createOwnPacer();
    const headers = { "X-RateLimit-Remaining": "7" };
    const { client } = createWorld(() => new Response(endless().body, { status, headers }), {
      pacer,
      maxRetries: 0,
    });
    await reasonOf(client.account.balance());
    expect(told.map(({ remaining }) => remaining)).toEqual([reported]);
  },
);

test.each([
  [16 * MEBIBYTE, true],
  [16 * MEBIBYTE + 1, false],
])("a response of %i bytes is read: %s", async (bytes, isRead) => {
  const { client } = createWorld(() => new Response(sized(task(), bytes)));
  const read = client.tasks.retrieve(TASK_ID);
  if (isRead) await expect(read).resolves.toMatchObject({ task_id: TASK_ID });
  else await rejection(read, InvalidResponseError);
});

test("a compressed response that expands to 256 MiB ends its connection, and its task is named", async () => {
  const whole = Buffer.alloc(256 * MEBIBYTE, 0x20);
  whole.write(START);
  const compressed = brotliCompressSync(whole, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  expect(compressed.byteLength).toBeLessThan(MEBIBYTE);
  const closed: Promise<unknown>[] = [];
  const server = await listen((to) => {
    closed.push(once(to, "close"));
    to.writeHead(202, { "Content-Type": "application/json", "Content-Encoding": "br" });
    // The response stays open, so that only the client ends the connection.
    to.write(compressed);
  });
  const { client } = connect(server);
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error.taskId).toBe(TASK_ID);
  await Promise.all(closed);
  expect(server.arrivals).toHaveLength(1);
});

test("a task ID of a megabyte is not accepted, shown or remembered", async () => {
  const taskId = "a".repeat(MEBIBYTE);
  const { client } = createWorld(() => accepted({ task_id: taskId }));
  // The second response would be refused as that of an earlier submission if the id was kept.
  for (let attempt = 0; attempt < 2; attempt++) {
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
    expect(error.message.length).toBeLessThan(1000);
    expect(error.message).not.toContain("earlier submission");
  }
});
