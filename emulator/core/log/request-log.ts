import * as z from "zod/mini";
import { isoTimeSchema, NAMED, objectOf, text, uuid } from "../checks.js";

/** An entry of the request log. */
export interface LoggedRequest {
  /** When it was carried out: ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** `null` if no response was sent. */
  readonly status: number | null;
  readonly request_id: string;
  /** `null` without a valid key. */
  readonly account_id: string | null;
  readonly error_code: string | null;
}

export const loggedRequestSchema = objectOf({
  at: isoTimeSchema,
  method: text,
  path: text,
  status: z.nullable(z.int()),
  request_id: text,
  account_id: z.nullable(uuid),
  error_code: z.nullable(text),
}).register(NAMED, { id: "LoggedRequest" });

export const REMEMBERED_REQUESTS = 100_000;

/** Called for each new entry of the log, the last one of `log`. */
export type LogReader = (request: LoggedRequest, log: readonly LoggedRequest[]) => void;

/** Appends to the log, drops the oldest entries if there are too many, and calls the readers. */
export function logRequest(
  log: LoggedRequest[],
  readers: ReadonlySet<LogReader>,
  request: LoggedRequest,
): void {
  log.push(request);
  if (log.length > 2 * REMEMBERED_REQUESTS) log.splice(0, log.length - REMEMBERED_REQUESTS);
  for (const read of readers) read(request, log);
}
