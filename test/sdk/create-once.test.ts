import {
  InvalidResponseError,
  JournalConflictError,
  JournalError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  TaskNotFoundError,
} from "async-music";
import { test as emulated } from "async-music/emulator/vitest";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { held } from "../support/collect.js";
import { away, failAfter, journaledWorld, KEY, OTHER_REQUEST } from "../support/journaled.js";
import { posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  lost,
  ok,
  refusal,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "../support/responses.js";
import { inTurn, never } from "../support/world.js";

type Answers = Parameters<typeof journaledWorld>;

/** A world whose creates use the journal. */
function world(...parameters: Answers) {
  const made = journaledWorld(...parameters);
  const { client, journal } = made;
  return {
    ...made,
    create: (options: { signal?: AbortSignal; onSubmitted?: () => void; probe?: boolean } = {}) =>
      client.tasks.create(SONG_REQUEST, { journal, journalKey: KEY, ...options }),
  };
}

describe("a create with a journal", () => {
  test("submits once, records the task, and leaves the key open", async () => {
    const { create, requests, entry, inner } = world(() => accepted());
    expect(await create()).toEqual(submission());
    expect(await create()).toEqual(submission());
    expect(requests).toHaveLength(1);
    expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID, submission: submission() });
    expect(await entry()).not.toHaveProperty("status");
    expect((await inner.open()).map(({ key, state }) => [key, state])).toEqual([[KEY, "submitted"]]);
  });

  test("writes the intent before the POST, and the record before it resolves", async () => {
    const made = world(async () => {
      expect(await made.entry()).toMatchObject({ state: "intent" });
      return accepted();
    });
    await made.create();
    expect(made.puts.map(({ state }) => state)).toEqual(["intent", "submitted"]);
  });

  test("of two at once, one sends the POST, and both resolve with its task", async () => {
    const made = world(() => accepted());
    expect(await Promise.all([made.create(), made.create(), made.create()])).toEqual([
      submission(),
      submission(),
      submission(),
    ]);
    expect(made.requests).toHaveLength(1);
  });

  test("a run with the key continues with its task, and closes the key", async () => {
    const made = world(inTurn(accepted(), ok(succeeded())));
    await made.create();
    expect(await made.run()).toEqual(succeeded());
    expect(posts(made)).toHaveLength(1);
    expect(await made.entry()).toMatchObject({ status: "success", acknowledged: false });
    // Now it only reads the journal.
    expect(await made.create()).toEqual(submission());
    expect(made.requests).toHaveLength(2);
  });

  test("reads a task once of which the journal has the ID only", async () => {
    const made = world(inTurn(lost, ok(task({ created_at: "2026-01-01T00:00:07Z" }))));
    const { taskId } = await rejection(made.create(), SubmissionOutcomeUnknownError);
    expect(taskId).toBeNull();
    expect(await rejection(made.create(), SubmissionOutcomeUnknownError)).toMatchObject({ journalKey: KEY });
    await settleOutcome(made.journal, KEY, TASK_ID);
    expect(await made.create()).toEqual(submission({ created_at: "2026-01-01T00:00:07Z" }));
    expect([posts(made).length, made.requests.length]).toEqual([1, 2]);
  });

  test("a wrong ID is reported by the read", async () => {
    const made = world(inTurn(lost, refusal(404, "task_not_found")));
    await rejection(made.create(), SubmissionOutcomeUnknownError);
    await settleOutcome(made.journal, KEY, TASK_ID);
    await rejection(made.create(), TaskNotFoundError);
  });

  test("after a refusal the key is free", async () => {
    const made = world(inTurn(refusal(402, "insufficient_credits"), accepted()));
    await expect(made.create()).rejects.toMatchObject({ errorCode: "insufficient_credits" });
    expect(await made.entry()).toBeNull();
    expect(await made.create()).toEqual(submission());
  });

  test("refuses another request under the key, and sends nothing", async () => {
    const { client, create, journal, requests } = world(() => accepted());
    await create();
    await rejection(client.tasks.create(OTHER_REQUEST, { journal, journalKey: KEY }), JournalConflictError);
    expect(requests).toHaveLength(1);
  });

  test("sends nothing if the journal fails before", async () => {
    const made = world(() => accepted());
    made.broken.put = failAfter(0, made.inner.put);
    expect(await rejection(made.create(), JournalError)).toMatchObject({ sent: false, cause: away });
    expect(made.requests).toHaveLength(0);
  });

  test("rejects with the task's ID if the journal cannot record it", async () => {
    const made = world(() => accepted());
    made.broken.put = failAfter(1, made.inner.put);
    expect(await rejection(made.create(), JournalError)).toMatchObject({ sent: true, taskId: TASK_ID });
  });

  test("records a task whose response is incomplete, and reports it", async () => {
    const made = world(() => accepted({ credits_charged: undefined }));
    await rejection(made.create(), InvalidResponseError);
    expect(await made.entry()).toMatchObject({ state: "submitted", task_id: TASK_ID, submission: null });
  });

  test("an abort while the POST is in flight rejects at once, and the task is still recorded", async () => {
    const controller = new AbortController();
    const [post, submitted] = [held<Response>(), held()];
    const made = world(() => post.given);
    const created = made.create({ signal: controller.signal, onSubmitted: submitted.give });
    await vi.waitFor(() => expect(made.requests).toHaveLength(1));
    controller.abort();
    expect(await rejection(created, SubmissionOutcomeUnknownError)).toMatchObject({ journalKey: KEY });
    post.give(accepted());
    await submitted.given;
    expect(await made.entry()).toMatchObject({ state: "submitted", task_id: TASK_ID });
  });

  test("an abort before the POST sends nothing", async () => {
    const made = world(never);
    const reason = new Error("stopped");
    await expect(made.create({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(made.requests).toHaveLength(0);
  });

  test("is a plain promise, typed by its request", async () => {
    const { client, journal } = world(() => accepted());
    const created = client.tasks.create(SONG_REQUEST, { journal, journalKey: KEY });
    expect(created).not.toHaveProperty("withResponse");
    expectTypeOf(created).not.toHaveProperty("withResponse");
    expectTypeOf(await created)
      .toHaveProperty("type")
      .toEqualTypeOf<"music">();
    const plain = client.tasks.create(SONG_REQUEST, {});
    expectTypeOf(plain).toHaveProperty("withResponse");
    await plain.catch(() => {});
  });

  emulated("with `probe` finds evidence of what became of a lost response", async ({ client, emulator }) => {
    emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
    const options = { journal: memoryJournal(), journalKey: KEY, probe: true };
    const error = await rejection(client.tasks.create(SONG_REQUEST, options), SubmissionOutcomeUnknownError);
    expect(error.evidence).toBe("created");
  });
});
