import { answers } from "./answers.ts";
import { startBareServer } from "./bare-server.ts";
import { LIBRARIES } from "./libraries.ts";
import { type Table, tableOf } from "./report.ts";
import { takeTurns } from "./spread.ts";

const ROUNDS = 20;
const CALLS = 500;
const IN_FLIGHT = 50;

const CONTENDERS = ["bare fetch", "async-music", "ky", "openai", "@anthropic-ai/sdk", "axios"];

/** The cost of a read over a connection, with many in flight. */
export async function measureLoopback(): Promise<Table[]> {
  const { retrieve } = await answers();
  using server = await startBareServer(retrieve);
  const contenders = CONTENDERS.flatMap((name) => {
    const ask = LIBRARIES[name]?.(server.url, fetch).retrieve;
    return ask === undefined ? [] : [[name, () => timeOf(ask)] as const];
  });
  const spreads = await takeTurns(ROUNDS, Object.fromEntries(contenders));
  const title = `Retrieve over loopback, ${IN_FLIGHT} in flight`;
  return [tableOf(title, "µs", spreads, { "async-music": { atMost: 1.2 } }, "ky")];
}

/** Microseconds for a call. */
async function timeOf(ask: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let left = CALLS;
  const askOn = async () => {
    while (left-- > 0) await ask();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, askOn));
  return ((performance.now() - began) * 1000) / CALLS;
}
