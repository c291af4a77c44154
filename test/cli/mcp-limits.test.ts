import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileJournal } from "async-music/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { LONGEST_MESSAGE_BYTES, limitLines } from "../../cli/mcp/limit-lines.js";
import { held } from "../support/collect.js";
import { connectMcp } from "./support/mcp.js";
import { createTerminal, useTerminal } from "./support/terminal.js";

const its = useTerminal();
const SONG = { description: "rain in Lisbon" };

/** Ends a call once the emulator's requests have come to a standstill, as 50 s do. */
const standstill = async (_?: number, signal?: AbortSignal) => {
  for (let quiet = 0, seen = -1; quiet < 30 && signal?.aborted !== true; quiet++) {
    if (seen !== its.emulator.requests.length) quiet = 0;
    seen = its.emulator.requests.length;
    await setTimeout(1, undefined, { signal }).catch(() => {});
  }
};
const untilSubmitted = async (order: string) => {
  while ((await fileJournal(its.journal).get(order))?.state !== "submitted") await standstill();
};
/** The emulator with a client whose sleeps end only by an abort. */
const withoutTime = () => {
  const { clock, ...connection } = its.emulator.connection();
  const still = { now: () => clock.now(), sleep: (_: number, signal?: AbortSignal) => untilAborted(signal) };
  const emulator: typeof its.emulator = Object.create(its.emulator, {
    connection: { value: () => ({ ...connection, clock: still }) },
  });
  return { ...its, emulator };
};
/** A 429. */
const limitFor = (seconds: number) => {
  const refusal = { kind: "status", status: 429, error_code: "rate_limited", when: "before" } as const;
  return { ...refusal, retry_after_seconds: seconds };
};

describe("the ceiling", () => {
  test("counts what an earlier server with the journal has spent, and the result is still there", async () => {
    const first = await connectMcp(its, { maxCredits: 25 });
    await first.call("make_song", { order: "rain", ...SONG });
    its.loseResponse();
    await first.call("make_song", { order: "lost", ...SONG });
    await first.end();

    const later = await connectMcp(its, { maxCredits: 25 });
    expect((await later.call("balance")).data.max_credits_left).toBe(5);
    const refused = await later.call("make_song", { order: "sun", ...SONG });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("and 5 of the 25")]);
    expect((await later.call("check_order", { order: "rain" })).data.status).toBe("success");
    expect((await later.call("check_order", { order: "nothing" })).text).toContain(
      'Open orders: "lost". Finished orders, latest first: "rain".',
    );
    expect((await later.call("write_lyrics", { order: "words", ...SONG })).data.status).toBe("success");
    expect(its.freezes()).toBe(3);
  });

  test("does not count refunds and decisions that nothing was created, also after a restart", async () => {
    const first = await connectMcp(its, { maxCredits: 10 });
    its.emulator.providers.provider_a.next({ outcome: "failure" });
    await first.call("make_song", { order: "fails", ...SONG });
    its.emulator.faults.add({ method: "POST", fault: { kind: "status", status: 500, when: "before" } });
    expect((await first.call("make_song", { order: "lost", ...SONG })).isError).toBe(true);
    expect((await first.call("balance")).data.max_credits_left).toBe(0);
    await its.emulator.clock.advance(120_000);
    await its.run("settle", "lost", "--journal", its.journal, "--not-created");
    for (const { call } of [first, await connectMcp(its, { maxCredits: 10 })])
      expect((await call("balance")).data.max_credits_left).toBe(10);
  });

  test.each([-1000, 0])("counts the listed price of orders that cost %i by the service", async (credits) => {
    const change = (body: string) => body.replace(/("credits_(?:charged|cost)":)\d+/, `$1${credits}`);
    const { call } = await connectMcp(its, { maxCredits: 15 }, { change });
    expect((await call("make_song", { order: "rain", ...SONG })).data.status).toBe("success");
    expect((await call("balance")).data.max_credits_left).toBe(5);
    expect((await call("make_song", { order: "sun", ...SONG })).isError).toBe(true);
    expect(its.freezes()).toBe(1);
  });

  test("counts a damaged entry as the most that an order can cost", async () => {
    const first = await connectMcp(its, { maxCredits: 20 });
    await first.call("write_lyrics", { order: "words", ...SONG });
    const [entry = ""] = await filesBelow(its.journal);
    await writeFile(entry, "damaged");
    const later = await connectMcp(its, { maxCredits: 20 });
    expect((await later.call("balance")).data.max_credits_left).toBe(10);
  });

  test("holds for servers that share a journal and order at the same time", async () => {
    const servers = await Promise.all([1, 2, 3, 4].map(() => connectMcp(its, { maxCredits: 25 })));
    const results = await Promise.all(
      servers.map(({ call }, index) => call("make_song", { order: `song-${index}`, ...SONG })),
    );
    expect(its.freezes()).toBeLessThanOrEqual(2);
    for (const { isError, text } of results)
      if (isError) expect(text).toContain("Nothing was sent or charged.");
    expect(its.freezes()).toBe(results.filter(({ isError }) => !isError).length);
    // An order that was refused because others were ordered at the same time has left nothing behind.
    const { call } = await connectMcp(its, { maxCredits: 1000 });
    for (const index of results.keys())
      expect((await call("make_song", { order: `song-${index}`, ...SONG })).isError).toBe(false);
    expect(its.freezes()).toBe(4);
  });

  test.each(["-1", "1.5", "x"])("of %s is refused at the start", async (maxCredits) => {
    const { status, stderr } = await its.run("mcp", "--max-credits", maxCredits, "--journal", its.journal);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--max-credits")]);
  });
});

describe("each tool returns in time, and says how to continue, while the rate limit", () => {
  const CALLS = [
    ["balance", {}],
    ["make_song", { order: "new", ...SONG }],
    ["write_lyrics", { order: "words", ...SONG }],
    ["continue_song", { order: "more", continue_clip_id: "clip" }],
    ["check_order", { order: "open" }],
    ["download_audio", { order: "open" }],
  ] as const;

  test.each(CALLS)("holds everything back for an hour: %s", async (tool, args) => {
    const earlier = await connectMcp(withoutTime(), {}, { sleep: () => untilSubmitted("open") });
    await earlier.call("make_song", { order: "open", ...SONG });
    await earlier.end();

    its.emulator.faults.add({ times: 99, fault: limitFor(3600) });
    const { call, end } = await connectMcp(withoutTime(), {}, { sleep: standstill });
    for (let times = 0; times < 2; times++) {
      const { isError, text, data } = await call(tool, args);
      if (isError) expect(text).toMatch(/Call again later/);
      else expect(data.next).toMatch(/Call `\w+`/);
    }
    await end();
    expect(its.freezes()).toBe(1);
  });

  test("delays a balance: it is requested once for two calls", async () => {
    its.emulator.faults.add({ path: "/api/v1/account/*", fault: { kind: "stall" } });
    const untilRequested = async () => {
      while (its.emulator.requests.length === 0) await standstill();
    };
    const { call, end } = await connectMcp(its, {}, { sleep: untilRequested });
    for (let times = 0; times < 2; times++) {
      const { data } = await call("balance");
      expect(data).toMatchObject({ available: null, max_credits: 1000 });
      expect(data.next).toContain("Call `balance` again");
    }
    expect(its.emulator.requests).toHaveLength(1);
    await end();
  });
});

describe("after a failure that has passed, the same call succeeds", () => {
  test.each([
    ["balance", {}, "/api/v1/account/*", 503],
    ["make_song", { order: "new", ...SONG }, "/api/v1/task", 402],
    ["write_lyrics", { order: "words", description: "rain" }, "/api/v1/task", 402],
    ["check_order", { order: "open" }, "/api/v1/task/*", 404],
    ["download_audio", { order: "open" }, "/api/v1/task/*", 404],
    ["download_audio", { order: "open" }, "/audio/*", 404],
    ["download_audio", { order: "open" }, "/audio/*", 503],
  ] as const)("%s %j, with %s broken by a %i", async (tool, args, path, status) => {
    const { call } = await connectMcp(its);
    await call("make_song", { order: "open", ...SONG });
    its.emulator.faults.add({ path, times: 1000, fault: { kind: "status", status, when: "before" } });
    const failed = await call(tool, args);
    its.emulator.faults.clear();
    const repeated = await call(tool, args);
    expect([failed.isError, repeated.isError]).toEqual([true, false]);
    expect(failed.text).toMatch(/call again|check_order/i);
  });
});

describe("at its end, the server", () => {
  test("aborts what waits, and names the orders that it leaves open", async () => {
    const { call, end, written } = await connectMcp(withoutTime());
    const waiting = call("make_song", { order: "waits", ...SONG });
    await untilSubmitted("waits");
    await end();
    const { isError, text } = await waiting;
    expect([isError, text]).toEqual([true, expect.stringContaining("Call again with the same order")]);
    expect(written.stderr).toMatch(/^async-music: order "waits": task [\da-f-]{36} continues\. .*\n$/);
    const seen = its.emulator.requests.length;
    await its.emulator.clock.advance(600_000);
    expect(its.emulator.requests).toHaveLength(seen);
  });

  test("completes a request in flight, and records its task", async () => {
    const { given: hold, give: respond } = held();
    const { call, end, written } = await connectMcp(its, {}, { hold });
    const created = call("make_song", { order: "rain", ...SONG });
    while (its.freezes() === 0) await standstill();
    const ended = end();
    await created;
    expect(await fileJournal(its.journal).get("rain")).toMatchObject({ state: "intent" });
    respond();
    await ended;
    expect(await fileJournal(its.journal).get("rain")).toMatchObject({ state: "submitted" });
    expect(written.stderr).toMatch(/"rain": task [\da-f-]{36} continues/);
  });

  test("leaves the key free of an order that waits for the rate limit after a 429", async () => {
    its.emulator.faults.add({ method: "POST", times: 9, fault: limitFor(60) });
    const { call, end, written } = await connectMcp(withoutTime());
    const created = call("make_song", { order: "rain", ...SONG });
    while (its.emulator.requests.every(({ method }) => method !== "POST")) await standstill();
    await standstill();
    await end();
    await created;
    expect(await fileJournal(its.journal).get("rain")).toBeNull();
    expect(written.stderr).toBe('async-music: order "rain": nothing was sent or charged.\n');
  });

  test("gives up a request without a response after `timeoutMs`, and says how to settle its order", async () => {
    let calls = 0;
    const patience = async (ms: number) => {
      if (calls++ === 0) return new Promise<never>(() => {});
      expect(ms).toBe(30_000);
    };
    const hold = new Promise<never>((_, reject) => {
      onTestFinished(() => reject(new Error("The test has ended.")));
    });
    const { call, end, written } = await connectMcp(its, {}, { hold, sleep: patience });
    const created = call("make_song", { order: "rain", ...SONG });
    while (its.freezes() === 0) await standstill();
    await end();
    await created;
    expect(written.stderr).toContain(
      'order "rain": it is unknown whether a task was created and charged. Wait 2 minutes, then find out',
    );
    expect(written.stderr).toContain(`npx async-music settle rain --journal ${its.journal} --not-created`);
  });
});

test("of an order with an unknown outcome, the end of the server says how to settle it, if nothing did before", async () => {
  const { call, end, written } = await connectMcp(its);
  for (const order of ["lost", "conflict", "settled", "refused", "damaged"]) {
    its.emulator.faults.add({ method: "POST", fault: { kind: "status", status: 502, when: "before" } });
    expect((await call("make_song", { order, ...SONG })).isError).toBe(true);
  }
  await its.emulator.clock.advance(120_000);
  for (const order of ["settled", "refused"])
    await its.run("settle", order, "--journal", its.journal, "--not-created");
  await call("make_song", { order: "settled", ...SONG });
  expect((await call("make_song", { order: "conflict", description: "sun" })).text).toContain(
    "another request",
  );
  for (const file of await filesBelow(its.journal))
    if ((await readFile(file, "utf8")).includes('"damaged"')) await writeFile(file, "damaged");
  await end();
  const settled = (order: string) =>
    expect.stringMatching(
      new RegExp(`order "${order}": it is unknown whether .* settle ${order} .* --not-created`),
    );
  expect(written.stderr.trimEnd().split("\n")).toEqual([
    settled("lost"),
    settled("conflict"),
    expect.stringMatching(/order "damaged": its entry in the journal can't be read/),
  ]);
});

const INITIALIZE = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "test", version: "1" },
  },
};

test("a message that can't be read is refused, and the others are read, also those of a batch", async () => {
  const messages = [
    JSON.stringify(INITIALIZE),
    '{"jsonrpc":"2.0","id":2,"method":',
    '{"id":3,"method":"ping"}',
    "[]",
    '[{"jsonrpc":"2.0","id":7,"method":"ping"},{"id":8},{"jsonrpc":"2.0","id":9,"method":"ping"}]',
    `{"jsonrpc":"2.0","id":10,"method":"ping","params":{"list":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`,
    "",
    " \r",
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}',
    '{"jsonrpc":"2.0","id":5,"method":"ping"}\r',
    '\uFEFF{"jsonrpc":"2.0","id":6,"method":"ping"}\u2028',
  ];
  const { run } = createTerminal(its.emulator, { stdin: `${messages.join("\n")}\n` });
  const { status, stdout, stderr } = await run("mcp", "--max-credits", "0", "--journal", its.journal);
  const responses = stdout.trim().split("\n");
  expect([status, stderr]).toEqual([0, ""]);
  expect(responses.map((text) => JSON.parse(text)).sort((one, other) => one.id - other.id)).toEqual([
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: expect.stringContaining("not JSON") } },
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message: expect.stringContaining("not a request") } },
    expect.objectContaining({ id: 1, result: expect.anything() }),
    { jsonrpc: "2.0", id: 3, error: { code: -32_600, message: expect.stringContaining("not a request") } },
    { jsonrpc: "2.0", id: 5, result: {} },
    { jsonrpc: "2.0", id: 6, result: {} },
    { jsonrpc: "2.0", id: 7, result: {} },
    { jsonrpc: "2.0", id: 8, error: { code: -32_600, message: expect.stringContaining("not a request") } },
    { jsonrpc: "2.0", id: 9, result: {} },
    { jsonrpc: "2.0", id: 10, error: { code: -32_600, message: expect.stringContaining("not a request") } },
  ]);
});

describe("a message that is too long", () => {
  const line = (message: object) => `${JSON.stringify(message)}\n`;
  const long = "x".repeat(LONGEST_MESSAGE_BYTES);
  const call = (id: unknown, text: string) => ({
    ...{
      method: "tools/call",
      params: { id: 9, list: [{ id: 8 }], text: `"id":7 ${text}` },
      jsonrpc: "2.0",
      id,
    },
  });

  test("is answered under its ID, and the messages after it are read", async () => {
    const stdin = [INITIALIZE, call(2, long), { jsonrpc: "2.0", id: 3, method: "ping" }].map(line).join("");
    const { run } = createTerminal(its.emulator, { stdin });
    const { status, stdout, stderr } = await run("mcp", "--max-credits", "0", "--journal", its.journal);
    const responses = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text))
      .sort((one, other) => one.id - other.id);
    expect([status, stderr]).toEqual([0, ""]);
    expect(responses).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { message: expect.stringContaining("longer than 4194304 bytes") } },
      { id: 3, result: {} },
    ]);
  });

  test.each<[string, string, unknown]>([
    ["a number at its end", line(call(5, long)), 5],
    ["a string at its beginning", `{"id":"a\\"b","text":"${long}"}\n`, 'a"b'],
    ["none", `${long}\n`, null],
    ["one that is no ID", line(call({ id: 1 }, long)), null],
    ["no line break", line(call(6, long)).trimEnd(), 6],
  ])("with %s as its ID", async (_, text, id) => {
    const ids: unknown[] = [];
    const chunks = text.match(/[\s\S]{1,70000}/g) ?? [];
    const others = text.endsWith("\n") ? ['{"id":1}\n{"id', '":2}\n'] : [];
    const lines = limitLines(toAsync([...chunks, ...others]), (found) => ids.push(found));
    const read: string[] = [];
    for await (const each of lines) read.push(String(each));
    expect(ids).toEqual([id]);
    expect(read.join("")).toBe(others.join(""));
  });

  test("starts one byte beyond the limit", async () => {
    const ids: unknown[] = [];
    const longest = `${"x".repeat(LONGEST_MESSAGE_BYTES - 1)}\n`;
    const lengths: number[] = [];
    for await (const each of limitLines(toAsync([longest, `x${longest}`, longest]), (id) => ids.push(id)))
      lengths.push(each.length);
    expect([lengths, ids]).toEqual([[LONGEST_MESSAGE_BYTES, LONGEST_MESSAGE_BYTES], [null]]);
  });
});

async function* toAsync(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
