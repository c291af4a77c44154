import {
  AsyncMusic,
  CreditCeilingError,
  InvalidOptionError,
  InvalidRequestError,
  type Journal,
  JournalConflictError,
  JournalDamagedError,
  JournalError,
  memoryBudget,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  type TaskRequest,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { type PostgresClient, postgresJournal, postgresJournalSql } from "async-music/postgres";
import { Pool } from "pg";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { IntentClaim } from "../../src/journal/intent-claim.js";
import { describeJournal } from "../support/describe-journal.js";
import { KEY, OTHER_REQUEST } from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  limited,
  lost,
  refusal,
  SONG_REQUEST,
  serve,
  succeeded,
  TASK_ID,
} from "../support/responses.js";
import { createTestClock, type TestClock } from "../support/test-clock.js";
import { type Answerer, API_KEY, createWorld, inTurn } from "../support/world.js";
import { connectClient, connectPool, createTable, planAlone } from "./connections.js";

/** A journal in an empty table, its pool, and a client whose runs use one key of it. */
async function createJournal(answer: Answerer = serve, options: { clock?: TestClock } = {}) {
  const table = await createTable();
  const pool = connectPool();
  const journal = postgresJournal(pool, { table });
  const world = createWorld(answer, options);
  return {
    ...world,
    table,
    pool,
    journal,
    run: (own: Journal = journal) => world.client.tasks.run(SONG_REQUEST, { journal: own, journalKey: KEY }),
    plan: (key = KEY, request: TaskRequest = SONG_REQUEST) => planAlone(pool, journal, key, request),
    rows: async () => (await pool.query(`SELECT key, state FROM ${table}`)).rows,
  };
}

/** A connection that has begun a transaction. */
async function begin(options = "") {
  const connection = await connectClient();
  await connection.query(`BEGIN ${options}`);
  return connection;
}

const laterTries = vi.spyOn(IntentClaim.prototype, "restoreLater");

// A run that could not remove its intent tries again later, with connections that end with its test.
afterEach(async () => {
  await Promise.all(laterTries.mock.results.map(({ value }) => value));
});

describe("on a pool", () => {
  describeJournal(async () => {
    const table = await createTable();
    return async () => postgresJournal(connectPool(), { table });
  });
});

describe("on a connection", () => {
  describeJournal(async () => {
    const table = await createTable();
    return async () => postgresJournal(await connectClient(), { table });
  });
});

test.each(["repeatable read", "serializable"])("of ten puts at %s, one succeeds", async (level) => {
  const { table, journal } = await createJournal();
  await journal.put(KEY, journalEntry("intent"), null);
  const pool = connectPool({ options: `-c default_transaction_isolation=${level.replace(" ", "\\ ")}` });
  const other = postgresJournal(pool, { table });
  const puts = Array.from({ length: 10 }, (_, index) =>
    other.put(KEY, journalEntry("submitted", { revision: String(index) }), "revision-intent"),
  );
  expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
});

test("the same pool and table return the same journal", async () => {
  const pool = connectPool();
  expect(postgresJournal(pool)).toBe(postgresJournal(pool, { table: "async_music_journal" }));
  expect(postgresJournal(pool)).not.toBe(postgresJournal(pool, { table: "other" }));
});

describe("without its table", () => {
  test("a run sends nothing, and its error says how to create the table", async () => {
    const { run, requests } = await createJournal();
    const journal = postgresJournal(connectPool(), { table: "missing" });
    const error = await rejection(run(journal), JournalError);
    expect(error.message).toContain(
      "There is no table missing in this database. If there was one, restore it",
    );
    expect(error.message).toContain('postgresJournalSql({ table: "missing" })');
    expect(error.message).not.toContain("CREATE TABLE");
    expect(error).toMatchObject({ journalKey: KEY, cause: { cause: { code: "42P01" } } });
    expect(requests).toEqual([]);
    for (let times = 0; times < 2; times++)
      await connectPool().query(postgresJournalSql({ table: "missing" }));
    expect(await run(journal)).toEqual(succeeded());
  });

  test.each(["open", "planned", "plan"] as const)("`%s` rejects with the error of a run", async (method) => {
    const journal = postgresJournal(connectPool(), { table: "nowhere.journal" });
    const error = await rejection(
      method === "plan" ? planAlone(connectPool(), journal, KEY, SONG_REQUEST) : journal[method](),
      JournalError,
    );
    expect(error.message).toContain("There is no table nowhere.journal in this database.");
    expect(error).toMatchObject({ journalKey: method === "plan" ? KEY : "", cause: { code: "42P01" } });
  });
});

test("a table can be in a schema, and have a reserved word as its name", async () => {
  const pool = connectPool();
  const table = "music.order";
  await pool.query("CREATE SCHEMA music");
  onTestFinished(async () => void (await pool.query("DROP SCHEMA music CASCADE")));
  await pool.query(postgresJournalSql({ table }));
  expect(await postgresJournal(pool, { table }).put(KEY, journalEntry("intent"), null)).toBe(true);
  expect((await pool.query('SELECT key, state FROM music."order"')).rows).toEqual([
    { key: KEY, state: "intent" },
  ]);
});

test("the state of each row shows what it needs", async () => {
  const { journal, plan, rows } = await createJournal();
  await plan("planned");
  await journal.put("intent", journalEntry("intent"), null);
  await journal.put("submitted", journalEntry("submitted"), null);
  await journal.put("ended", journalEntry("submitted", { status: "success" }), null);
  await journal.put("freed", journalEntry("intent", { settled: true }), null);
  expect(await rows()).toEqual([
    { key: "planned", state: "planned" },
    { key: "intent", state: "intent" },
    { key: "submitted", state: "submitted" },
    { key: "ended", state: "closed" },
    { key: "freed", state: "closed" },
  ]);
});

test.each([
  ["another revision's entry", "revision = 'another'"],
  ["an entry that was cut", `entry = '{"revision":"revision-submitted"}'`],
])("%s is a `JournalError`, no POST is sent, and `open` names it", async (_, change) => {
  const { table, pool, journal, run, requests } = await createJournal();
  await journal.put("order-0", journalEntry("intent"), null);
  await journal.put(KEY, journalEntry("submitted"), null);
  await pool.query(`UPDATE ${table} SET ${change} WHERE key = '${KEY}'`);
  await rejection(run(), JournalError);
  expect(requests).toEqual([]);
  const error = await rejection(journal.open(), JournalDamagedError);
  expect(error).toMatchObject({ orders: [{ key: "order-0" }], damagedKeys: [KEY] });
});

test("a damaged plan does not hide the other planned orders", async () => {
  const { table, pool, journal, plan } = await createJournal();
  for (const key of ["order-0", KEY, "order-2"]) await plan(key);
  await pool.query(`UPDATE ${table} SET revision = 'another' WHERE key = '${KEY}'`);
  const { orders, damagedKeys, message } = await rejection(journal.planned(), JournalDamagedError);
  expect(orders.map(({ key }) => key).sort()).toEqual(["order-0", "order-2"]);
  expect(damagedKeys).toEqual([KEY]);
  expect(message).toContain("lists the planned journal keys of the others");
  expect((await journal.get("order-0"))?.request).toEqual(SONG_REQUEST);
});

test("nothing is sent while PostgreSQL cannot be reached", async () => {
  const pool = new Pool({ host: "/nowhere" });
  onTestFinished(() => pool.end());
  const { run, requests } = await createJournal();
  await rejection(run(postgresJournal(pool)), JournalError);
  expect(requests).toEqual([]);
});

test.each([undefined, "EPIPE", "57P01"])("a run survives a connection that breaks with %s", async (code) => {
  const { table, pool, run, requests } = await createJournal();
  const broken = new Set<string>();
  /** Loses the response of each kind of statement once, after the server has executed it. */
  const lossy: PostgresClient = {
    async query(text, values) {
      const result = await pool.query(text, values);
      if (broken.has(text)) return result;
      broken.add(text);
      throw Object.assign(new Error("Connection terminated unexpectedly"), { code });
    },
  };
  const journal = postgresJournal(lossy, { table });
  await run(journal);
  expect([broken.size, posts({ requests }).length]).toEqual([5, 1]);
  expect(await journal.get(KEY)).toMatchObject({ state: "submitted", status: "success" });
});

describe("in a transaction", () => {
  test("a run sends nothing, and the transaction can go on", async () => {
    const { table, run, rows, requests } = await createJournal();
    const connection = await begin();
    const journal = postgresJournal(connection, { table });
    const { message } = await rejection(run(journal), JournalError);
    expect(message).toContain("call `plan`");
    expect(requests).toEqual([]);
    await connection.query(`SELECT count(*) FROM ${table}`);
    await connection.query("COMMIT");
    expect(await rows()).toEqual([]);
    expect(await run(journal)).toEqual(succeeded());
  });

  test("a run sends nothing if a rollback follows its record at once", async () => {
    const { table, run, rows, requests } = await createJournal();
    const connection = await begin();
    const shared: PostgresClient = {
      query(text, values) {
        const result = connection.query(text, values);
        // Of another part of the program, which uses the same connection.
        if (text.includes("INSERT")) void connection.query("ROLLBACK");
        return result;
      },
    };
    await rejection(run(postgresJournal(shared, { table })), JournalError);
    expect(requests).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  test("a run that is awaited before the COMMIT of its plan sends nothing, and says so", async () => {
    const { journal, run, requests } = await createJournal();
    const connection = await begin();
    await journal.plan(connection, KEY, SONG_REQUEST);
    const { message } = await rejection(run(), JournalError);
    expect(message).toContain("call `run` after its COMMIT");
    expect(requests).toEqual([]);
    expect((await connection.query("SHOW lock_timeout")).rows).toEqual([{ lock_timeout: "0" }]);
    await connection.query("COMMIT");
    expect(await run()).toEqual(succeeded());
  });

  test("`plan` waits for another plan of its key no longer than the `lock_timeout` of its transaction", async () => {
    const { journal } = await createJournal();
    const [first, second] = [await begin(), await begin()];
    await journal.plan(first, KEY, SONG_REQUEST);
    await second.query("SET LOCAL lock_timeout = '20ms'");
    await expect(journal.plan(second, KEY, SONG_REQUEST)).rejects.toMatchObject({ code: "55P03" });
    await second.query("ROLLBACK");
    await first.query("COMMIT");
    expect(await journal.planned()).toMatchObject([{ key: KEY }]);
  });

  test.each(["COMMIT", "ROLLBACK"])("`plan` takes effect with %s", async (end) => {
    const { journal } = await createJournal();
    const connection = await begin();
    expect(await journal.plan(connection, KEY, SONG_REQUEST)).toBe(true);
    expect(await journal.planned()).toEqual([]);
    await connection.query(end);
    const orders = end === "COMMIT" ? [{ key: KEY, request: SONG_REQUEST, since: expect.any(String) }] : [];
    expect(await journal.planned()).toEqual(orders);
    expect(await journal.open()).toEqual([]);
  });

  test.each(["a pool", "a connection before BEGIN", "a connection after COMMIT"])(
    "`plan` refuses %s, and records nothing",
    async (where) => {
      const { pool, journal } = await createJournal();
      const connection = await connectClient();
      // The transaction that the order belongs to.
      const other = await begin();
      if (where.endsWith("COMMIT")) {
        await connection.query("BEGIN");
        await journal.plan(connection, "order-0", SONG_REQUEST);
        await connection.query("COMMIT");
      }
      const before = await journal.planned();
      const plan = (key: string) => journal.plan(where === "a pool" ? pool : connection, key, SONG_REQUEST);
      for (const key of ["order-0", KEY]) {
        const { message, option } = await rejection(plan(key), InvalidOptionError);
        expect([message, option]).toEqual([
          expect.stringContaining("between BEGIN and COMMIT"),
          "connection",
        ]);
      }
      await other.query("ROLLBACK");
      expect(await journal.planned()).toEqual(before);
      expect(await journal.get(KEY)).toBe(null);
    },
  );

  test("`plan` refuses a pool at once, also while transactions use all of its connections", async () => {
    const { pool, journal } = await createJournal();
    const connections = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    onTestFinished(() => {
      for (const connection of connections) connection.release();
    });
    const plans = connections.map(async (connection, index) => {
      await connection.query("BEGIN");
      return rejection(journal.plan(pool, `order-${index}`, SONG_REQUEST), InvalidOptionError);
    });
    for (const { option } of await Promise.all(plans)) expect(option).toBe("connection");
    expect(pool.waitingCount).toBe(0);
    await Promise.all(connections.map((connection) => connection.query("COMMIT")));
  });

  test("`plan` records nothing if a rollback follows its first statement", async () => {
    const { journal } = await createJournal();
    const connection = await begin();
    let statements = 0;
    const shared: PostgresClient = {
      async query(text, values) {
        const result = await connection.query(text, values);
        // Of another part of the program, which did not wait for the plan.
        if (statements++ === 0) await connection.query("ROLLBACK");
        return result;
      },
    };
    await rejection(journal.plan(shared, KEY, SONG_REQUEST), InvalidOptionError);
    expect(await journal.get(KEY)).toBe(null);
  });

  test("`plan` can be the first statement, or follow a savepoint", async () => {
    const { journal } = await createJournal();
    const connection = await begin("ISOLATION LEVEL REPEATABLE READ");
    expect(await journal.plan(connection, KEY, SONG_REQUEST)).toBe(true);
    await connection.query("SAVEPOINT before_second");
    expect(await journal.plan(connection, "order-2", SONG_REQUEST)).toBe(true);
    await connection.query("ROLLBACK TO before_second");
    expect(await journal.plan(connection, "order-3", SONG_REQUEST)).toBe(true);
    await connection.query("COMMIT");
    expect((await journal.planned()).map(({ key }) => key).sort()).toEqual([KEY, "order-3"]);
  });

  test("of two transactions that plan one key, the second waits, and has the order already", async () => {
    const { journal } = await createJournal();
    const [one, other] = [await begin(), await begin()];
    expect(await journal.plan(one, KEY, SONG_REQUEST)).toBe(true);
    const second = journal.plan(other, KEY, SONG_REQUEST);
    await one.query("COMMIT");
    expect(await second).toBe(false);
    await rejection(journal.plan(other, KEY, OTHER_REQUEST), JournalConflictError);
    await other.query("COMMIT");
  });

  test("a failed statement is not repeated, and keeps its error", async () => {
    const { journal, table, plan } = await createJournal();
    const connection = await begin("ISOLATION LEVEL SERIALIZABLE");
    await connection.query(`SELECT count(*) FROM ${table}`);
    await plan();
    await expect(journal.plan(connection, KEY, SONG_REQUEST)).rejects.toMatchObject({ code: "40001" });
    await connection.query("ROLLBACK");
  });
});

describe("a planned order", () => {
  test("is planned again during the wait after a 429, and is sent after it", async () => {
    const clock = createTestClock({ skips: false });
    const answer = inTurn(limited(60), accepted, done);
    const { journal, plan, run, requests } = await createJournal(answer, { clock });
    await plan();
    const running = run();
    await vi.waitUntil(() => clock.sleeps.some(({ ms }) => ms === 60_000));
    expect(await journal.planned()).toMatchObject([{ key: KEY, request: SONG_REQUEST }]);
    expect(await journal.open()).toEqual([]);
    await clock.advance(60_000);
    await vi.waitUntil(() => posts({ requests }).length === 2);
    await vi.waitUntil(async () => (await journal.get(KEY))?.state === "submitted");
    await clock.advance(10_000);
    expect(await running).toEqual(succeeded());
    expect(await journal.planned()).toEqual([]);
  });

  test("that many clients run at once creates one task, and closes", async () => {
    await using emulator = createEmulator();
    const { table, journal, plan } = await createJournal();
    await plan();
    const runs = Array.from({ length: 5 }, () => {
      const client = new AsyncMusic(emulator.connection());
      const own = postgresJournal(connectPool(), { table });
      return client.tasks.run(SONG_REQUEST, { journal: own, journalKey: KEY });
    });
    // On the emulator's clock, the others do not wait for the one whose request is in flight.
    for (const run of await Promise.allSettled(runs))
      if (run.status === "rejected") expect(run.reason).toBeInstanceOf(SubmissionOutcomeUnknownError);
    expect(emulator.state().tasks).toMatchObject([{ status: "success" }]);
    expect([await journal.planned(), await journal.open()]).toEqual([[], []]);
    expect(await plan()).toBe(false);
  });

  test("is planned again after a refusal", async () => {
    const answer = inTurn(refusal(402, "insufficient_credits"), accepted, done);
    const { journal, plan, run } = await createJournal(answer);
    await plan();
    await run().catch(() => {});
    expect(await journal.planned()).toMatchObject([{ key: KEY, request: SONG_REQUEST }]);
    await run();
    expect(await journal.planned()).toEqual([]);
  });

  test("stays planned after its budget refused it, and has its tenant once it is created", async () => {
    const { journal, plan, client, requests } = await createJournal(inTurn(accepted, done));
    await plan();
    const order = { journal, journalKey: KEY, tenant: "acme" };
    const budget = memoryBudget({ maxCredits: 1, per: "total" });
    await rejection(client.tasks.create(SONG_REQUEST, { ...order, budget }), CreditCeilingError);
    expect(await journal.planned()).toMatchObject([{ key: KEY, request: SONG_REQUEST }]);
    expect(requests).toEqual([]);
    await client.tasks.create(SONG_REQUEST, order);
    expect(await journal.get(KEY)).toMatchObject({ state: "submitted", tenant: "acme" });
  });

  test("is planned again once its lost outcome is settled as not created", async () => {
    const { journal, plan, run } = await createJournal(inTurn(lost, accepted, done));
    await plan();
    await rejection(run(), SubmissionOutcomeUnknownError);
    expect(await journal.planned()).toEqual([]);
    expect(await settleOutcome(journal, KEY, null)).toBe(true);
    expect(await journal.planned()).toMatchObject([{ key: KEY, request: SONG_REQUEST }]);
    expect(await run()).toEqual(succeeded());
    expect(await journal.planned()).toEqual([]);
  });

  test("is not replaced by another request", async () => {
    const { journal, plan, client, requests } = await createJournal();
    await plan();
    const run = client.tasks.run(OTHER_REQUEST, { journal, journalKey: KEY });
    const { message, journalKey } = await rejection(run, JournalConflictError);
    expect([message, journalKey]).toEqual([
      expect.stringContaining("another request. Nothing was sent."),
      KEY,
    ]);
    expect(requests).toEqual([]);
    expect(await journal.planned()).toMatchObject([{ key: KEY, request: SONG_REQUEST }]);
  });

  test("can be canceled", async () => {
    const { journal, plan, client, requests } = await createJournal(inTurn(accepted, done));
    await plan();
    expect(await journal.delete(KEY, (await journal.get(KEY))?.revision ?? "")).toBe(true);
    expect([await journal.planned(), requests]).toEqual([[], []]);
    await client.tasks.run(OTHER_REQUEST, { journal, journalKey: KEY });
  });

  test("can be settled with a task, and planned after it was freed", async () => {
    const { journal, plan } = await createJournal();
    await journal.put(KEY, journalEntry("intent"), null);
    await settleOutcome(journal, KEY, null);
    expect(await plan(KEY, OTHER_REQUEST)).toBe(true);
    expect(await journal.planned()).toMatchObject([{ key: KEY, request: OTHER_REQUEST }]);
    expect(await settleOutcome(journal, KEY, TASK_ID)).toBe(true);
    expect(await journal.planned()).toEqual([]);
  });

  describe("whose request contains the API key", () => {
    const secret = { ...SONG_REQUEST, input: { gpt_description_prompt: `rain, ${API_KEY}` } } as const;

    test("is refused by `plan` if the environment has the key", async () => {
      vi.stubEnv("ASYNC_MUSIC_API_KEY", API_KEY);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { journal, plan } = await createJournal();
      const error = await rejection(plan(KEY, secret), InvalidOptionError);
      expect([error.option, error.message]).toEqual(["request", "`request` must not contain the API key."]);
      expect((await rejection(plan(API_KEY), InvalidOptionError)).option).toBe("journalKey");
      expect(await journal.planned()).toEqual([]);
      expect(await plan()).toBe(true);
    });

    test("is refused by `run` otherwise: nothing is sent, and the key is free", async () => {
      const { journal, plan, client, requests, run, rows } = await createJournal();
      await plan(KEY, secret);
      const refused = client.tasks.run(secret, { journal, journalKey: KEY });
      const error = await rejection(refused, InvalidOptionError);
      expect([error.option, error.message]).toEqual([
        "request",
        `The request that was planned with journal key "${KEY}" contains the API key. Nothing was sent, and the key is free. ` +
          "Plan the order again without the API key.",
      ]);
      expect(requests).toEqual([]);
      expect([await journal.planned(), await journal.open(), await rows()]).toEqual([[], [], []]);
      expect(await plan()).toBe(true);
      expect(await run()).toEqual(succeeded());
    });
  });

  test("is listed with every key, oldest first", async () => {
    const { journal, plan } = await createJournal();
    const keys = ["b", '"quoted"', "\ud800", "a\u0000b"];
    for (const key of keys) {
      await plan(key);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect((await journal.planned()).map(({ key }) => key)).toEqual(keys);
  });

  test("has a request that the service accepts", async () => {
    const { journal, plan } = await createJournal();
    await rejection(plan(KEY, { ...SONG_REQUEST, model: "provider_c" } as never), InvalidRequestError);
    await rejection(plan(KEY, null as never), InvalidRequestError);
    await rejection(plan(""), InvalidOptionError);
    await rejection(journal.plan({} as never, KEY, SONG_REQUEST), InvalidOptionError);
    expect(await journal.planned()).toEqual([]);
  });
});

test.each([
  ["pool", undefined, {}],
  ["pool", {}, {}],
  ["pool", "postgres://example.com", {}],
  ["table", null, { table: "" }],
  ["table", null, { table: "Journal" }],
  ["table", null, { table: "a; DROP TABLE b" }],
  ["table", null, { tabel: "a" }],
])("an invalid `%s` is refused", (option, pool, options) => {
  const make = () => postgresJournal((pool === null ? connectPool() : pool) as never, options as never);
  expect(make).toThrow(InvalidOptionError);
  expect(make).toThrow(option);
});
