import { LIBRARIES } from "./libraries.ts";
import { type Table, tableOf } from "./report.ts";
import { type CallName, responses, type ServiceResponse, serviceOf } from "./responses.ts";
import { takeTurns } from "./spread.ts";

const ROUNDS = 15;
/** Calls in a row: enough that each library's garbage is collected in its own measurement. */
const CALLS = 2000;

const TARGETS = { "async-music": { atMost: 1.2 } };

/** The cost of a call in each library, with a service in this process that responds at once. */
export async function measureCalls(): Promise<Table[]> {
  const { retrieve, create } = await responses();
  return [await measureCall("retrieve", retrieve), await measureCall("create", create)];
}

async function measureCall(call: CallName, response: ServiceResponse): Promise<Table> {
  const contenders = Object.entries(LIBRARIES).map(([name, makeCalls]) => {
    const service = serviceOf(response);
    const send = makeCalls("http://service.invalid", service)[call];
    return [name, () => timeOf(send, service)] as const;
  });
  const spreads = await takeTurns(ROUNDS, Object.fromEntries(contenders));
  return tableOf(`${call === "create" ? "Create" : "Retrieve"}, in process`, "µs", spreads, TARGETS, "ky");
}

/** Microseconds for a call. For libraries without a `fetch` option, the global one is replaced. */
async function timeOf(send: () => Promise<unknown>, service: typeof fetch): Promise<number> {
  const own = globalThis.fetch;
  globalThis.fetch = service;
  const began = performance.now();
  for (let call = 0; call < CALLS; call++) await send();
  const tookMs = performance.now() - began;
  globalThis.fetch = own;
  return (tookMs * 1000) / CALLS;
}
