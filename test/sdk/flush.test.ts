import { describe, expect, test, vi } from "vitest";
import { all, held } from "../support/collect.js";
import { away, failAfter, journaledWorld, KEY } from "../support/journaled.js";
import { journalEntry } from "../support/journals.js";
import {
  accepted,
  done,
  limited,
  lost,
  OTHER_TASK_ID,
  refusal,
  running,
  SONG_REQUEST,
  serve,
  TASK_ID,
} from "../support/responses.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { createWorld, inTurn, never } from "../support/world.js";

// At the end of a process, an order may be lost whose POST is in flight, or whose task no journal and no callback has yet.

/** A clock that only the test moves. */
const still = () => ({ clock: createTestClock({ skips: false }) });

/** The service of a task that does not end. */
const serveRunning = ({ method }: { method: string }) => (method === "POST" ? accepted() : running());

/** A signal that a test aborts with the reason `"over"`. */
function aborter() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort("over") };
}

/** Whether a promise has resolved, once all code that can run has run. */
async function hasEnded(flushed: Promise<void>): Promise<boolean> {
  let isEnded = false;
  void flushed.then(() => {
    isEnded = true;
  });
  await turns(20);
  return isEnded;
}

/** A world whose POST is held, and whose tasks do not end. */
function heldWorld() {
  const post = held<Response>();
  const world = journaledWorld(({ method }) => (method === "POST" ? post.given : running()), still());
  return { ...world, respond: () => post.give(accepted()) };
}

test("without any call, it resolves at once", async () => {
  const { client } = createWorld(serve);
  await client.tasks.flush();
});

describe("it waits for", () => {
  test("a create whose POST is in flight", async () => {
    const { client, respond } = heldWorld();
    const created = client.tasks.create(SONG_REQUEST);
    const flushed = client.tasks.flush();
    expect(await hasEnded(flushed)).toBe(false);
    respond();
    await created;
    await flushed;
  });

  test.each(["create", "run"] as const)(
    "a %s with a journal that was aborted while its POST was in flight, until the journal has its task",
    async (method) => {
      const { client, journal, respond, requests, entry } = heldWorld();
      const { signal, abort } = aborter();
      const call = client.tasks[method](SONG_REQUEST, { journal, journalKey: KEY, signal });
      await vi.waitFor(() => expect(requests).toHaveLength(1));
      abort();
      await expect(call).rejects.toThrow("aborted");
      const flushed = client.tasks.flush();
      expect(await hasEnded(flushed)).toBe(false);
      expect(await entry()).toMatchObject({ state: "intent" });
      respond();
      await flushed;
      expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID });
    },
  );

  test.each([
    ["with a journal", true],
    ["without a journal", false],
  ])("the `onSubmitted` of a run %s", async (_, isJournaled) => {
    const saved = held();
    const onSubmitted = vi.fn(() => saved.given);
    const { client, journal } = journaledWorld(({ method }) => (method === "POST" ? accepted() : running()));
    const { signal, abort } = aborter();
    const run = client.tasks.run(SONG_REQUEST, {
      ...(isJournaled && { journal, journalKey: KEY }),
      signal,
      onSubmitted,
    });
    const flushed = client.tasks.flush();
    await vi.waitFor(() => expect(onSubmitted).toHaveBeenCalledOnce());
    expect(await hasEnded(flushed)).toBe(false);
    saved.give();
    await flushed;
    abort();
    await expect(run).rejects.toBe("over");
  });

  test("the POST of a batch whose loop was left", async () => {
    const { client, journal, respond, requests, entry } = heldWorld();
    const { signal, abort } = aborter();
    const journalKey = () => KEY;
    const results = client.tasks.runAll([SONG_REQUEST, SONG_REQUEST], {
      journal,
      journalKey,
      signal,
      concurrency: 1,
    });
    const left = all(results);
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    abort();
    await expect(left).rejects.toBe("over");
    const flushed = client.tasks.flush();
    expect(await hasEnded(flushed)).toBe(false);
    respond();
    await flushed;
    expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID });
    expect(requests).toHaveLength(1);
  });

  test("a task that the journal could not record, until it could", async () => {
    const { client, journal, broken, inner, entry, clock } = journaledWorld(serveRunning, still());
    const { signal, abort } = aborter();
    broken.put = failAfter(1, inner.put);
    const run = client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, signal });
    const flushed = client.tasks.flush();
    await clock.advance(60_000);
    expect(await hasEnded(flushed)).toBe(false);
    delete broken.put;
    abort();
    await flushed;
    expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID });
    await expect(run).rejects.toBe("over");
  });

  test("a call that a 429 holds back, unless it is aborted", async () => {
    const { client, requests } = createWorld(inTurn(limited(60), accepted), still());
    const { signal, abort } = aborter();
    const created = client.tasks.create(SONG_REQUEST, { signal });
    const flushed = client.tasks.flush();
    expect(await hasEnded(flushed)).toBe(false);
    abort();
    await expect(created).rejects.toBe("over");
    await flushed;
    expect(requests).toHaveLength(1);
  });

  test("all of several calls", async () => {
    const posts = [held<Response>(), held<Response>()];
    const { client } = createWorld((_, index) => posts[index]?.given ?? lost());
    const first = client.tasks.create(SONG_REQUEST);
    await turns(20);
    const second = client.tasks.create(SONG_REQUEST);
    const flushed = client.tasks.flush();
    await turns(20);
    posts[0]?.give(accepted());
    await first;
    expect(await hasEnded(flushed)).toBe(false);
    posts[1]?.give(accepted({ task_id: OTHER_TASK_ID }));
    await second;
    await flushed;
  });
});

describe("it does not wait for", () => {
  test("a call that begins later", async () => {
    const post = held<Response>();
    const { client } = createWorld(inTurn(accepted, () => post.given));
    const first = client.tasks.create(SONG_REQUEST);
    const flushed = client.tasks.flush();
    const second = client.tasks.create(SONG_REQUEST);
    await flushed;
    await first;
    expect(await hasEnded(client.tasks.flush())).toBe(false);
    post.give(accepted({ task_id: OTHER_TASK_ID }));
    await second;
  });

  test.each([
    ["with a journal", true],
    ["without a journal", false],
  ])("the task of a run %s", async (_, isJournaled) => {
    const { client, journal } = journaledWorld(serveRunning, still());
    const { signal, abort } = aborter();
    const run = client.tasks.run(SONG_REQUEST, {
      ...(isJournaled && { journal, journalKey: KEY }),
      signal,
    });
    await client.tasks.flush();
    abort();
    await expect(run).rejects.toBe("over");
  });

  test.each([
    ["its submission", journalEntry("submitted")],
    ["its ID only", journalEntry("submitted", { submission: null })],
  ])("the task that an earlier run has recorded by %s", async (_, entry) => {
    const { client, run, write, requests } = journaledWorld(serveRunning, still());
    await write(entry);
    const { signal, abort } = aborter();
    const resumed = run({ signal });
    await client.tasks.flush();
    abort();
    await expect(resumed).rejects.toBe("over");
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("a wait, or a read", async () => {
    const { client } = createWorld(never);
    const { signal, abort } = aborter();
    const wait = client.tasks.wait(TASK_ID, { signal });
    const read = client.tasks.retrieve(TASK_ID, { signal });
    await client.tasks.flush();
    abort();
    await expect(wait).rejects.toBe("over");
    await expect(read).rejects.toBe("over");
  });
});

test.each([
  ["a refusal", () => refusal(402, "insufficient_credits")],
  ["a lost connection", lost],
  ["a success", accepted],
])("a create ends with %s", async (_, answer) => {
  const { client } = createWorld((request) => (request.method === "POST" ? answer() : done()));
  await client.tasks.create(SONG_REQUEST).catch(() => {});
  await client.tasks.flush();
});

test.each<[string, { request?: object; options?: object; isBroken?: boolean }]>([
  ["a request that is not valid", { request: {} }],
  ["an option that does not exist", { options: { sooner: true } }],
  ["a journal that fails", { isBroken: true }],
])("%s leaves nothing open", async (_, { request = SONG_REQUEST, options = {}, isBroken = false }) => {
  const { client, journal, broken } = journaledWorld(lost);
  if (isBroken) broken.get = () => Promise.reject(away);
  const given: typeof SONG_REQUEST = Object(request);
  const calls = [
    client.tasks.run(given, { ...options, journal, journalKey: KEY }),
    client.tasks.create(given, { ...options, journal, journalKey: KEY }),
    client.tasks.create(given, options),
  ];
  for (const call of calls) await expect(call).rejects.toThrow();
  await client.tasks.flush();
});
