import type { Context } from "../http/context.js";
import { parseDate } from "../time/date.js";

/**
 * When a task was created, on the client's clock; `null` if `created_at` is no date. `assumedMs`: how far the service's clock
 * is ahead, unless a response has shown it.
 */
export function createdAtByClient({ clock, service }: Context, created_at: string | null, assumedMs = 0) {
  const createdAt = parseDate(created_at);
  return createdAt === null ? null : Math.min(clock.now(), createdAt - (service.aheadMs ?? assumedMs));
}
