import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOfThrown } from "../../src/contract/thrown.js";
import type { OrderEnd } from "../../src/follow/follower.js";
import type { AsyncMusic, StoreOrder } from "../../src/index.js";
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

/** What was stored of an order; `undefined` if nothing was to be stored. Rejects with a reason that names the function. */
export async function stored(
  store: StoreOrder | null,
  { key, deliveryId, end }: OrderEnd,
  client: AsyncMusic,
): Promise<unknown> {
  if (store === null || !("task" in end)) return undefined;
  try {
    const files = (await store({ key, deliveryId, task: end.task, client })) ?? null;
    // A value that JSON can't express is an error of the function.
    JSON.stringify(files);
    return files;
  } catch (error) {
    throw new Error(`the function of --store failed: ${messageOfThrown(error)}`, { cause: error });
  }
}
