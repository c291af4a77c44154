import * as z from "zod/mini";
import { isoTimeSchema, objectOf, text, uuid } from "./checks.js";

/** One request and how it ended. */
export interface LoggedRequest {
  /** When it was carried out: ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** `null` where no response was sent. */
  readonly status: number | null;
  readonly request_id: string;
  /** `null` where no valid key was sent. */
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
});

/** The log keeps at least this many requests. */
export const REMEMBERED_REQUESTS = 100_000;

/** Follows the log as it is written. `json` is the body of a submission; `log` ends with the request. */
export type LogReader = (request: LoggedRequest, json: unknown, log: readonly LoggedRequest[]) => void;

/** Appends to the log, whose oldest entries are dropped at times, and calls the readers. */
export function logRequest(
  log: LoggedRequest[],
  readers: ReadonlySet<LogReader>,
  request: LoggedRequest,
  json: unknown,
): void {
  log.push(request);
  if (log.length > 2 * REMEMBERED_REQUESTS) log.splice(0, log.length - REMEMBERED_REQUESTS);
  for (const read of readers) read(request, json, log);
}
