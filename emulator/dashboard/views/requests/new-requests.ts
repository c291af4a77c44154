import type { ExchangeRow } from "../../api.js";
import { requestKey } from "../../store.js";

type Row = Pick<ExchangeRow, "number" | "at" | "request_id">;

/** How many requests a log has after an earlier copy of it. In a log that began again, all are new. */
export function countNew(log: readonly Row[], earlier: readonly Row[]): number {
  const last = earlier.at(-1);
  if (last === undefined) return log.length;
  const isLast = (row: Row) => row.number === last.number && requestKey(row) === requestKey(last);
  return log.length - 1 - log.findLastIndex(isLast);
}
