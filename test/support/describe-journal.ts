import {
  type Journal,
  type JournalRecord,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  TaskFailedError,
  WaitTimeoutError,
} from "async-music";
import { expect, test } from "vitest";
import { journalEntry, posts } from "./journals.js";
import { rejection } from "./rejection.js";
import {
  accepted,
  failed,
  lost,
  ok,
  refusal,
  SONG_REQUEST,
  serve,
  serveAnew,
  succeeded,
  TASK_ID,
  task,
} from "./responses.js";
import { createWorld, inTurn } from "./world.js";

const KEY = "order-1";

const intent = (revision: string) => journalEntry("intent", { revision });
const record = (revision: string) => journalEntry("submitted", { revision });

/** Tests that every journal must pass. `createStore` makes an empty store and returns a function that opens it. */
export function describeJournal(createStore: () => Promise<() => Promise<Required<Journal>>>): void {
  const openTwice = async () => {
    const open = await createStore();
    return [await open(), await open()] as const;
  };

  test("an entry is visible to every journal of the same store", async () => {
    const [one, other] = await openTwice();
    expect(await other.get(KEY)).toBeNull();
    expect(await one.put(KEY, intent("a"), null)).toBe(true);
    expect(await other.get(KEY)).toEqual(intent("a"));
    expect(await other.put(KEY, record("b"), "a")).toBe(true);
    expect(await one.get(KEY)).toEqual(record("b"));
  });

  test("only the current revision can be replaced or freed", async () => {
    const [journal] = await openTwice();
    expect(await journal.put(KEY, intent("a"), "x")).toBe(false);
    expect(await journal.delete(KEY, "a")).toBe(false);
    expect(await journal.get(KEY)).toBeNull();
    await journal.put(KEY, intent("a"), null);
    expect(await journal.put(KEY, intent("b"), null)).toBe(false);
    expect(await journal.put(KEY, record("b"), "x")).toBe(false);
    expect(await journal.delete(KEY, "x")).toBe(false);
    expect(await journal.get(KEY)).toEqual(intent("a"));
  });

  test("a freed key can be taken again, and the former revision no longer counts", async () => {
    const [journal] = await openTwice();
    await journal.put(KEY, intent("a"), null);
    expect(await journal.delete(KEY, "a")).toBe(true);
    expect(await journal.get(KEY)).toBeNull();
    expect(await journal.put(KEY, record("late"), "a")).toBe(false);
    expect(await journal.put(KEY, intent("b"), null)).toBe(true);
    expect(await journal.delete(KEY, "a")).toBe(false);
    expect(await journal.get(KEY)).toEqual(intent("b"));
  });

  test("of ten concurrent puts of one key, one succeeds", async () => {
    const journals = await openTwice();
    for (let round = 0; round < 10; round++) {
      const names = Array.from({ length: 10 }, (_, index) => `${round}-${index}`);
      const previous = (await journals[0].get(KEY))?.revision ?? null;
      const taken = await Promise.all(
        names.map((name, index) => journals[index % 2 === 0 ? 0 : 1].put(KEY, intent(name), previous)),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
      const holder = names[taken.indexOf(true)];
      expect(await journals[1].get(KEY)).toEqual(intent(holder ?? ""));
    }
  });

  test("an entry is stored unchanged, whatever it contains", async () => {
    const [one, other] = await openTwice();
    const entry = journalEntry("intent", {
      request: { ...SONG_REQUEST, text: 'ключ \u0000 "🎵"', list: [1.5, null, [], {}] } as never,
      tasks_created: 12,
    });
    await one.put(KEY, entry, null);
    expect(await other.get(KEY)).toEqual(entry);
  });

  test("changing an object that was put or returned does not change the entry", async () => {
    const [journal] = await openTwice();
    const given = intent("a");
    await journal.put(KEY, given, null);
    Object.assign(given, { revision: "changed" });
    Object.assign(Object(await journal.get(KEY)), { revision: "changed" });
    expect(await journal.get(KEY)).toEqual(intent("a"));
  });

  test.each([" ", "../../etc", "ключ", "__proto__", "a\u0000b", "CON", "x".repeat(10_000)])(
    "the string %j is a key",
    async (journalKey) => {
      const [journal, again] = await openTwice();
      const world = createWorld(serve);
      await world.client.tasks.run(SONG_REQUEST, { journal, journalKey });
      await world.client.tasks.run(SONG_REQUEST, { journal: again, journalKey });
      expect(posts(world)).toHaveLength(1);
    },
  );

  test("keys of different lone surrogates are different keys", async () => {
    const [journal] = await openTwice();
    expect(await journal.put("\ud800", intent("a"), null)).toBe(true);
    expect(await journal.put("\ud801", intent("b"), null)).toBe(true);
    // The text that stands for the first one where a database has UTF-8 only.
    expect(await journal.put('"\\ud800"', intent("c"), null)).toBe(true);
    expect(await journal.get("\ud800")).toEqual(intent("a"));
  });

  test("open lists the unfinished keys, oldest first, and nothing for an empty journal", async () => {
    const [journal, again] = await openTwice();
    expect(await journal.open()).toEqual([]);
    const at = (second: number) => ({ at: `2026-01-01T00:00:0${second}.000Z` });
    await journal.put("new", journalEntry("intent", at(3)), null);
    await journal.put("\ud800 ключ", journalEntry("submitted", at(2)), null);
    await journal.put('"quoted"', journalEntry("intent", at(1)), null);
    await journal.put("ended", journalEntry("submitted", { ...at(0), status: "failure" }), null);
    await journal.put("freed", intent("a"), null);
    await journal.delete("freed", "a");
    const common = { request_id: "request-1" };
    expect(await again.open()).toEqual([
      { key: '"quoted"', state: "intent", task_id: null, since: at(1).at, ...common },
      { key: "\ud800 ключ", state: "submitted", task_id: TASK_ID, since: at(2).at, ...common },
      { key: "new", state: "intent", task_id: null, since: at(3).at, ...common },
    ]);
  });

  test("unacknowledged lists the orders whose ends are to be delivered, oldest first", async () => {
    const [journal, again] = await openTwice();
    expect(await journal.unacknowledged()).toEqual([]);
    const at = (second: number) => ({ at: `2026-01-01T00:00:0${second}.000Z` });
    const put = (key: string, fields: Partial<JournalRecord>) =>
      journal.put(key, journalEntry("submitted", fields), null);
    const follower = { id: "relay-1", until: "2026-01-01T00:01:00.000Z" };
    const delivery = { tries: 2, next_at: null, last_error: "HTTP 500" };
    const text = 'ключ \u0000 \ud800 "acknowledged":false';
    const request = { ...SONG_REQUEST, text, acknowledged: false } as never;
    await put("running", { ...at(3), follower });
    await put("\ud800 ended", { ...at(2), request, status: "failure", acknowledged: false, delivery });
    await put("too old", { ...at(1), status: "success", acknowledged: false });
    await put("delivered", { ...at(4), request, status: "success", acknowledged: true });
    await put("not found", { ...at(4), acknowledged: true });
    await put("of an older version", { ...at(5), request, status: "success" });
    await journal.put("unknown", journalEntry("intent", { ...at(6), request }), null);
    const common = { task_id: TASK_ID, tenant: null, follower: null, delivery: null, status: null };
    const orders = [
      { ...common, key: "\ud800 ended", since: at(2).at, status: "failure", delivery },
      { ...common, key: "running", since: at(3).at, follower },
    ];
    expect(await again.unacknowledged(new Date(at(2).at))).toEqual(orders);
    const [oldest, ...others] = await again.unacknowledged();
    expect([oldest?.key, others]).toEqual(["too old", orders]);
    // The entry of another one takes the place of an entry that is done.
    await journal.put(
      "delivered",
      journalEntry("submitted", { ...at(4), revision: "next" }),
      "revision-submitted",
    );
    expect((await again.unacknowledged()).map(({ key }) => key)).toContain("delivered");
  });

  test("a key that was freed by mistake is settled with its task, and is not open in between", async () => {
    const [journal, again] = await openTwice();
    await journal.put(KEY, intent("a"), null);
    expect(await settleOutcome(journal, KEY, null)).toBe(true);
    const freed = await journal.get(KEY);
    expect(await settleOutcome(journal, KEY, null)).toBe(true);
    expect(await journal.get(KEY)).toEqual(freed);
    expect(await again.open()).toEqual([]);
    expect(await settleOutcome(again, KEY, TASK_ID)).toBe(true);
    expect(await journal.get(KEY)).toMatchObject({ state: "submitted", task_id: TASK_ID });
    expect(await settleOutcome(journal, KEY, null)).toBe(true);
    const world = createWorld(serve);
    await world.client.tasks.run(SONG_REQUEST, { journal: again, journalKey: KEY });
    expect(posts(world)).toHaveLength(1);
  });

  test("a key is open until a run has returned the end of its task", async () => {
    const [journal] = await openTwice();
    const stateAfter = async (
      journalKey: string,
      last: () => Response,
      kind?: Parameters<typeof rejection>[1],
    ) => {
      const { client } = createWorld(inTurn(() => accepted(), last));
      const run = client.tasks.run(SONG_REQUEST, { journal, journalKey, maxWaitMs: 60_000 });
      await (kind === undefined ? run : rejection(run, kind));
      return (await journal.open()).find(({ key }) => key === journalKey)?.state;
    };
    expect(await stateAfter("left", () => ok(task()), WaitTimeoutError)).toBe("submitted");
    expect(await stateAfter("done", () => ok(succeeded()))).toBeUndefined();
    expect(await stateAfter("failed", () => ok(failed()), TaskFailedError)).toBeUndefined();
    expect(await journal.get("failed")).toMatchObject({ state: "submitted", status: "failure" });

    const { client } = createWorld(serve);
    await client.tasks.run(SONG_REQUEST, { journal, journalKey: "left" });
    expect(await journal.open()).toEqual([]);
    const closed = await journal.get("left");
    await client.tasks.run(SONG_REQUEST, { journal, journalKey: "left" });
    expect(await journal.get("left")).toEqual(closed);
  });

  test("another key, and a key whose entry was deleted, create another task", async () => {
    const [journal] = await openTwice();
    const world = createWorld(serveAnew);
    const run = (journalKey: string) => world.client.tasks.run(SONG_REQUEST, { journal, journalKey });
    const first = await run(KEY);
    expect((await run(KEY)).task_id).toBe(first.task_id);
    const other = await run("order-2");
    await journal.delete(KEY, (await journal.get(KEY))?.revision ?? "");
    const again = await run(KEY);
    expect(new Set([first, other, again].map(({ task_id }) => task_id)).size).toBe(3);
    expect(posts(world)).toHaveLength(3);
  });

  test("of two clients with one key, one sends the POST and both get the task; an unknown outcome stays unknown", async () => {
    const [journal] = await openTwice();
    const options = { journal, journalKey: KEY };
    const refused = createWorld(() => refusal(402, "insufficient_credits"));
    await refused.client.tasks.run(SONG_REQUEST, options).catch(() => {});

    const [one, other] = [createWorld(serve), createWorld(serve)];
    const songs = await Promise.all(
      [one, other].map(({ client }) => client.tasks.run(SONG_REQUEST, options)),
    );
    expect(songs).toEqual([succeeded(), succeeded()]);
    expect([...posts(one), ...posts(other)]).toHaveLength(1);

    const unlucky = createWorld(inTurn(lost, () => accepted()));
    for (const _ of [1, 2]) {
      const run = unlucky.client.tasks.run(SONG_REQUEST, { ...options, journalKey: "order-2" });
      await rejection(run, SubmissionOutcomeUnknownError);
    }
    expect(posts(unlucky)).toHaveLength(1);
  });
}
