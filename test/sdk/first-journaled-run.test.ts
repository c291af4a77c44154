import {
  AsyncMusic,
  AsyncMusicError,
  BudgetError,
  memoryBudget,
  memoryJournal,
  settleOutcome,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { all } from "../support/collect.js";
import { holdCode, idle, loseCode, restoreCode } from "../support/held-code.js";
import { posts } from "../support/journals.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { accepted, ok, SONG_REQUEST, succeeded } from "../support/responses.js";
import { createWorld, inTurn } from "../support/world.js";

// The first run with a journal, and the first batch, load their code. Meanwhile other code runs.

const CODE = "src/tasks/lazy.js";

beforeEach(() => void vi.resetModules());
afterEach(() => restoreCode(CODE));

const order = () => ({ journal: memoryJournal(), journalKey: "order-1" });

describe("while the code loads", () => {
  test.each([
    ["run", (client: AsyncMusic) => client.tasks.run(SONG_REQUEST, order())],
    ["create", (client: AsyncMusic) => client.tasks.create(SONG_REQUEST, order())],
    ["runAll", (client: AsyncMusic) => all(client.tasks.runAll([SONG_REQUEST]))],
  ])("virtual time stands still: %s", async (_, call) => {
    const emulator = createEmulator();
    const { release } = holdCode(CODE);
    const begunAt = emulator.clock.now();
    const sleep = emulator.clock.sleep(600_000);
    const called = call(new AsyncMusic(emulator.connection()));
    await idle();
    expect(emulator.clock.now()).toBe(begunAt);
    release();
    await called;
    await sleep;
    expect(emulator.clock.now()).toBe(begunAt + 600_000);
  });

  test("a request that its caller changes is sent as it was given", async () => {
    const { client, requests } = createWorld(inTurn(accepted, () => ok(succeeded())));
    const { release } = holdCode(CODE);
    const input = { ...SONG_REQUEST.input };
    const run = client.tasks.run({ ...SONG_REQUEST, input }, order());
    Object.assign(input, { gpt_description_prompt: "another song" });
    release();
    await run;
    expect(posts({ requests }).map(({ body }) => JSON.parse(body))).toEqual([SONG_REQUEST]);
  });

  test("an abort sends nothing, and leaves the key free", async () => {
    const { client, requests } = createWorld(inTurn(accepted));
    const { release } = holdCode(CODE);
    const controller = new AbortController();
    const { journal, journalKey } = order();
    const run = client.tasks.run(SONG_REQUEST, { journal, journalKey, signal: controller.signal });
    const reason = new Error("The user left the page.");
    controller.abort(reason);
    release();
    expect(await reasonOf(run)).toBe(reason);
    expect(requests).toEqual([]);
    expect(await journal.get(journalKey)).toBeNull();
  });

  test("runs without a journal continue", async () => {
    const { client } = createWorld(inTurn(accepted, () => ok(succeeded())));
    const { release } = holdCode(CODE);
    const waiting = client.tasks.run(SONG_REQUEST, order());
    expect((await client.tasks.run(SONG_REQUEST)).status).toBe("success");
    release();
    await waiting.catch(() => {});
  });
});

test("a load that fails says that nothing was sent, and the next run loads again", async () => {
  loseCode(CODE);
  const { client, requests } = createWorld(inTurn(accepted, () => ok(succeeded())));
  const error = await rejection(client.tasks.run(SONG_REQUEST, order()), AsyncMusicError);
  expect(error.message).toContain("Nothing was sent");
  expect(error.message).toContain("could not be loaded");
  expect(error.cause).toBeInstanceOf(Error);
  expect(requests).toEqual([]);
  restoreCode(CODE);
  expect((await client.tasks.run(SONG_REQUEST, order())).status).toBe("success");
});

test("a settlement before the first run says that the key holds nothing", async () => {
  expect(await settleOutcome(memoryJournal(), "order-1", null)).toBe(false);
});

describe("a budget in memory whose code could not be loaded", () => {
  test("sends nothing, says so, and loads it again", async () => {
    loseCode(CODE);
    const { client, requests } = createWorld(inTurn(accepted, () => ok(succeeded())));
    const budget = memoryBudget({ maxCredits: 20, per: "day" });
    const limited = { tenant: "acme", budget };
    const error = await rejection(client.tasks.run(SONG_REQUEST, limited), BudgetError);
    expect(error.message).toBe(
      'Failed to reserve credits of tenant "acme": a part of this package could not be loaded. Nothing was sent. Check that all files of the application are available, then try again.',
    );
    expect([error.tenant, error.cause]).toEqual(["acme", expect.any(Error)]);
    expect((await rejection(budget.usage("acme"), BudgetError)).message).toContain("Failed to read credits");
    expect(requests).toEqual([]);
    restoreCode(CODE);
    await client.tasks.run(SONG_REQUEST, limited);
    expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
  });

  test("does not fail a wait for a task", async () => {
    loseCode(CODE);
    const { client } = createWorld(inTurn(accepted, () => ok(succeeded())));
    const budget = memoryBudget({ maxCredits: 20, per: "day" });
    const submission = await client.tasks.create(SONG_REQUEST);
    const task = await client.tasks.wait(submission, { tenant: "acme", budget });
    expect(task.status).toBe("success");
  });
});
