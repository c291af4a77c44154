import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOfThrown } from "../../src/contract/thrown.js";
import type { OrderEnd } from "../../src/follow/follower.js";
import type { AsyncMusic, StoreOrder } from "../../src/index.js";
import { onAbort } from "../../src/time/abort.js";
import { within } from "../../src/time/deadline.js";
import { UsageError } from "../terminal.js";

/** The default export of a module of the user. */
export async function storeAt(path: string): Promise<StoreOrder> {
  const { default: store } = await load(path);
  if (typeof store !== "function")
    throw new UsageError(`--store: ${path} must have a function as its default export.`);
  return store as StoreOrder;
}

async function load(path: string): Promise<{ default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    throw new UsageError(`--store: ${path} could not be loaded: ${messageOfThrown(error)}`);
  }
}

/** The longest time that the function may take for one order, in real milliseconds: it downloads the audio and uploads it. */
const LONGEST_STORE_MS = 600_000;

/** When a function is left that does not settle. */
export interface StoreLimits {
  /** Aborted when the relay is to end, also after a failure. */
  readonly signal: AbortSignal;
  /** How long the function may take after that, in real milliseconds. */
  readonly graceMs: number;
}

/** What was stored of an order; `undefined` if nothing was to be stored. Rejects with a reason that names the function. */
export async function stored(
  store: StoreOrder | null,
  { key, deliveryId, end }: OrderEnd,
  client: AsyncMusic,
  limits: StoreLimits,
): Promise<unknown> {
  if (store === null || !("task" in end)) return undefined;
  try {
    const storing = async () => store({ key, deliveryId, task: end.task, client });
    const files = (await withinLimits(storing, limits)) ?? null;
    // A value that JSON can't express is an error of the function.
    JSON.stringify(files);
    return files;
  } catch (error) {
    throw new Error(`the function of --store failed: ${messageOfThrown(error)}`, { cause: error });
  }
}

async function withinLimits(
  work: () => Promise<unknown>,
  { signal, graceMs }: StoreLimits,
): Promise<unknown> {
  const leaving = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leaveSoon = () => {
    const reason = new Error(`it did not settle within ${graceMs / 1000} s after the relay was to end`);
    timer = setTimeout(() => leaving.abort(reason), graceMs);
  };
  const abort = onAbort(signal, leaveSoon);
  if (signal.aborted) leaveSoon();
  const tooLate = () => new Error(`it did not settle within ${LONGEST_STORE_MS / 60_000} minutes`);
  try {
    return await within(LONGEST_STORE_MS, work, leaving.signal, tooLate);
  } finally {
    abort.remove();
    clearTimeout(timer);
  }
}
