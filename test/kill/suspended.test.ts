import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { listen, replying } from "../support/loopback.js";
import { submission, TASK_ID } from "../support/responses.js";
import { bundle } from "./support.js";

// A process that is suspended while it waits for a response, and continues after its deadline.

const TIMEOUT_MS = 3000;
const SUSPENDED_MS = TIMEOUT_MS + 1000;
const API_KEY = "key_1";

const { script } = await bundle("test/kill/run-suspended.ts");

const envelope = (data: object) => ["application/json", JSON.stringify({ code: 200, data })] as const;
const AUDIO = ["audio/mpeg", "x".repeat(20_000)] as const;
const BALANCE = { available: 42, frozen: 0, total: 42 };

const CALLS = [
  ["create", envelope(submission()), TASK_ID],
  ["balance", envelope(BALANCE), "42"],
  ["download", AUDIO, "20000"],
] as const;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The output of a process whose response, or its second half, arrives only while the process is suspended. */
async function suspended(
  call: string,
  [type, body]: readonly [string, string],
  part: "all" | "half" | "none",
): Promise<string> {
  const suspend = async (response: ServerResponse) => {
    response.writeHead(200, { "Content-Type": type, "Content-Length": body.length });
    if (part === "half") {
      response.write(body.slice(0, body.length / 2));
      // The process reads the first half.
      await pause(TIMEOUT_MS / 4);
    }
    child.kill("SIGSTOP");
    if (part === "all") response.end(body);
    else if (part === "half") response.end(body.slice(body.length / 2));
    await pause(SUSPENDED_MS);
    child.kill("SIGCONT");
  };
  const server = await listen((response) => void suspend(response));
  const parameters = [script, server.url, API_KEY, call, String(TIMEOUT_MS)];
  const child = spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(server.arrivals).toHaveLength(1);
  return output;
}

test("after a suspension past its deadline, a process receives the response that has arrived", async () => {
  const runs = CALLS.flatMap(([call, response, result]) =>
    (["all", "half"] as const).map(async (part) => {
      expect([call, part, await suspended(call, response, part)]).toEqual([call, part, result]);
    }),
  );
  await Promise.all(runs);
});

test("after a suspension past its deadline, a call without a response still times out", async () => {
  const runs = CALLS.map(async ([call, response]) => {
    const output = await suspended(call, response, "none");
    expect(output).toContain(`no response came within ${TIMEOUT_MS} ms`);
  });
  await Promise.all(runs);
});

test.each([
  ["it is not sent if it is too late", 2000, 3000, /nothing was sent/, 0],
  ["it is sent within its time limit", 20_000, 100, new RegExp(`^${TASK_ID}$`), 1],
])("a POST whose connection was not made when its process was suspended: %s", async (...parameters) => {
  const [, timeoutMs, suspendedMs, output, sent] = parameters;
  const server = await listen(replying(202, { code: 202, data: submission() }));
  const url = server.url.replace("127.0.0.1", "found-late.test");
  const options = [script, url, API_KEY, "create", String(timeoutMs)];
  const child = spawn(process.execPath, options, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const printed = text(child.stdout as Readable);
  await once(child, "message");
  child.kill("SIGSTOP");
  await pause(suspendedMs);
  child.kill("SIGCONT");
  expect(await printed).toMatch(output);
  expect(server.arrivals).toHaveLength(sent);
});
