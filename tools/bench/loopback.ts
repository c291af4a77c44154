import { startBareServer } from "./bare-server.ts";
import { LIBRARIES } from "./libraries.ts";
import { type Table, tableOf } from "./report.ts";
import { responses } from "./responses.ts";
import { takeTurns } from "./spread.ts";

const ROUNDS = 20;
const CALLS = 500;
const IN_FLIGHT = 50;

const CONTENDERS = ["bare fetch", "async-music", "ky", "openai", "@anthropic-ai/sdk", "axios"];

/** The cost of a read over a connection, with many in flight. */
export async function measureLoopback(): Promise<Table[]> {
  const { retrieve } = await responses();
  using server = await startBareServer(retrieve);
  const contenders = CONTENDERS.flatMap((name) => {
    const call = LIBRARIES[name]?.(server.url, fetch).retrieve;
    return call === undefined ? [] : [[name, () => timeOf(call)] as const];
  });
  const spreads = await takeTurns(ROUNDS, Object.fromEntries(contenders));
  const title = `Retrieve over loopback, ${IN_FLIGHT} in flight`;
  return [tableOf(title, "µs", spreads, { "async-music": { atMost: 1.2 } }, "ky")];
}

/** Microseconds for a call. */
async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let left = CALLS;
  const callOn = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, callOn));
  return ((performance.now() - began) * 1000) / CALLS;
}
