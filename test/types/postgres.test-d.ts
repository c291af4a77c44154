import type { Journal } from "async-music";
import { type PostgresClient, postgresJournal } from "async-music/postgres";
import { Client, Pool, type PoolClient } from "pg";
import { expectTypeOf, test } from "vitest";

test("the pools and connections of pg compile without an adapter", () => {
  expectTypeOf<Pool>().toExtend<PostgresClient>();
  expectTypeOf<Client>().toExtend<PostgresClient>();
  expectTypeOf<PoolClient>().toExtend<PostgresClient>();
  expectTypeOf(postgresJournal(new Pool())).toExtend<Required<Journal>>();
  postgresJournal(new Client());
});

test("an object that is not a connection does not compile", () => {
  // @ts-expect-error: it has no `query`.
  postgresJournal({});
  // @ts-expect-error: a connection string is not a connection.
  postgresJournal("postgres://example.com");
});
