/** The globals of the examples in the README, the docstrings and the guides' sketches. Only those examples compile with them. */

type Stage = typeof import("./stage.js").stage;

export {};

declare global {
  type AsyncMusic = import("async-music").AsyncMusic;
  type Journal = import("async-music").Journal;
  const AsyncMusic: Stage["AsyncMusic"];
  const USD_PER_CREDIT: Stage["USD_PER_CREDIT"];
  const createEmulator: Stage["createEmulator"];
  const emulatorHandlers: Stage["emulatorHandlers"];
  const creditsFor: Stage["creditsFor"];
  const expiresAt: Stage["expiresAt"];
  const extraField: Stage["extraField"];
  const fileJournal: Stage["fileJournal"];
  const isMusic: Stage["isMusic"];
  const memoryBudget: Stage["memoryBudget"];
  const memoryJournal: Stage["memoryJournal"];
  const progressOf: Stage["progressOf"];
  const saveAudio: Stage["saveAudio"];
  const setupServer: Stage["setupServer"];
  const taskEvents: Stage["taskEvents"];
  const apiKey: string;
  const baseUrl: string;
  const client: AsyncMusic;
  const clip: import("async-music").Clip;
  const emulator: Stage["emulator"];
  const request: Stage["request"];
  const requests: Stage["requests"];
  const save: Stage["save"];
  const song: Stage["song"];
  const taskId: string;

  // Of worlds.
  const explore: typeof import("async-music/emulator/worlds").explore;
  const shop: import("async-music/emulator/worlds").App;
  const test: typeof import("vitest").test;

  // From other packages.
  const url: string;
  const journal: Required<Journal>;
  const budget: import("async-music").Budget;
  const redisJournal: typeof import("async-music/redis").redisJournal;
  const redisPacer: typeof import("async-music/redis").redisPacer;
  const Redis: typeof import("ioredis").Redis;
  const pool: {
    query(
      sql: string,
      values?: unknown[],
    ): Promise<{
      rows: { entry: import("async-music").JournalEntry }[];
      rowCount: number;
    }>;
    end(): Promise<void>;
  };
  const connection: import("pg").PoolClient;
  const rows: readonly { customerId: string }[];
  const saveSong: (
    key: string,
    task: import("async-music").SucceededTask,
    deliveryId: string,
  ) => Promise<void>;
  const refund: (key: string, error: unknown, deliveryId: string) => Promise<void>;
  const boss: import("pg-boss").PgBoss;
  const dbosClient: import("@dbos-inc/dbos-sdk").DBOSClient;
  const order: import("../../examples/queues/order.js").Order;
  const means: import("../../examples/queues/order.js").Means;
  const fulfil: typeof import("../../examples/queues/order.js").fulfil;
  const inBullMq: typeof import("../../examples/queues/bullmq.js").inBullMq;
}
