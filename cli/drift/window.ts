import { HEADERS, LIMITS } from "../../src/contract/service.js";
import type { AsyncMusic, Clock } from "../../src/index.js";
import { difference, type Observe } from "./account.js";
import type { ObservedFields } from "./fields.js";

/** How long `windowFields` takes, in milliseconds. */
export const WINDOW_TEST_MS = LIMITS.windowMs + 66_000;

/**
 * Reads the balance over 65 s: a fixed window then starts again, and a sliding one still has the last three reads.
 * `byOthers` is how many requests another program sent with the key, as a negative number.
 */
export async function windowFields(
  client: AsyncMusic,
  clock: Clock,
  signal: AbortSignal,
  observe: Observe,
): Promise<{ fields: ObservedFields; byOthers: number }> {
  const remaining: (number | null)[] = [];
  const read = async () => {
    const { headers } = await observe(() => client.account.balance({ signal }));
    const stated = headers.get(HEADERS.rateLimitRemaining) ?? "";
    remaining.push(/^\d+$/.test(stated) ? Number(stated) : null);
  };
  await clock.sleep(LIMITS.windowMs + 1000, signal);
  await read();
  await clock.sleep(40_000, signal);
  for (let reads = 0; reads < 3; reads++) await read();
  await clock.sleep(25_000, signal);
  await read();
  const [start, first, , third, end] = remaining;
  const byOthers = Number(difference(first, start)) + 1;
  const fields = {
    "remaining after the first request": start ?? "missing",
    "change after three more": difference(third, start),
    "change after 65 s": difference(end, start),
  };
  return { fields, byOthers: byOthers < 0 && difference(third, first) === -2 ? byOthers : 0 };
}
