import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { startBareServer } from "./bare-server.ts";
import { type Promised, type Row, rowOf, significant, type Table } from "./report.ts";
import { type RunningService, startService } from "./running-service.ts";
import { call, type Question, SERVICES, type Service } from "./services.ts";
import { spreadOf, takeTurns } from "./spread.ts";

const autocannon = createRequire(new URL("peers/package.json", import.meta.url))("autocannon");

const ROUNDS = 7;
const STARTS = 5;
const CONNECTIONS = 50;
const SECONDS = 0.5;

const PROMISES = { read: { atLeast: 0.6 }, create: { atLeast: 0.5 } } as const;
const BARE = "a bare Node server with the same response";

/** Requests per second of emulators on a port, each compared with a bare server with the same responses. */
export async function measurePort(): Promise<Table[]> {
  const rows: Record<"read" | "create", Row[]> = { read: [], create: [] };
  for (const [name, service] of Object.entries(SERVICES)) {
    await using running = await startService(service);
    const questions = await service.questions(running.url);
    for (const kind of ["read", "create"] as const) {
      const promise = name === "async-music" ? PROMISES[kind] : undefined;
      rows[kind].push(await compare(name, running, questions[kind], promise));
    }
  }
  return (["read", "create"] as const).map((kind) => ({
    title: `Emulator: ${kind}s on a port, ${CONNECTIONS} connections`,
    unit: "responses per second",
    against: BARE,
    rows: rows[kind],
  }));
}

/** Start time and idle memory of emulators. */
export async function measureStart(): Promise<Table[]> {
  const contenders = Object.entries(SERVICES);
  const turns = (measure: (service: Service) => Promise<number>) =>
    takeTurns(STARTS, Object.fromEntries(contenders.map(([name, each]) => [name, () => measure(each)])));
  const starts = await turns(startSeconds);
  const memory = await turns(idleMebibytes);
  const rows = (spreads: typeof starts, promise: Promised) =>
    Object.entries(spreads).map(([name, spread]) =>
      rowOf(name, spread, name === "async-music" ? promise : undefined),
    );
  return [
    {
      title: "Emulator: from the command to the first response",
      unit: "s",
      rows: rows(starts, { atMost: 0.2 }),
    },
    { title: "Emulator: resident memory, idle", unit: "MiB", rows: rows(memory, { atMost: 90 }) },
  ];
}

async function startSeconds(service: Service): Promise<number> {
  await using running = await startService(service);
  return running.startSeconds;
}

async function idleMebibytes(service: Service): Promise<number> {
  await using running = await startService(service);
  await sleep(1000);
  return running.residentMebibytes();
}

async function compare(
  name: string,
  { url }: RunningService,
  question: Question,
  promise: Promised | undefined,
): Promise<Row> {
  const status = (await fetch(url + question.path, question)).status;
  using bare = await startBareServer({ status, text: await call(url, question) });
  const rates: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const ours = await responsesPerSecond(url, question);
    rates.push({ ours, bare: await responsesPerSecond(bare.url, question) });
  }
  const [, ...warm] = rates;
  const ours = spreadOf(warm.map((rate) => rate.ours));
  const theirs = spreadOf(warm.map((rate) => rate.bare));
  return { ...rowOf(name, ours, promise), ratio: significant(ours.median / theirs.median) };
}

/** Responses per second, to one request that is repeated on many connections for half a second. */
export async function responsesPerSecond(url: string, question: Question): Promise<number> {
  const began = performance.now();
  const requests = [question];
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, requests });
  const { non2xx, errors, "2xx": responses } = result;
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests to ${url} failed.`);
  return (responses * 1000) / (performance.now() - began);
}
