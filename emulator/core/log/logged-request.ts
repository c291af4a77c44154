/** One exchange, as it went. */
export interface LoggedRequest {
  /** When it was carried out: ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** `null` where no answer left the service. */
  readonly status: number | null;
  readonly request_id: string;
  /** `null` where no valid key was sent. */
  readonly account_id: string | null;
  readonly error_code: string | null;
}

/** How many requests the log certainly remembers. */
export const REMEMBERED_REQUESTS = 100_000;

/** Adds to the log, and now and then forgets what is older than the remembered ones. */
export function logRequest(requests: LoggedRequest[], request: LoggedRequest): void {
  requests.push(request);
  if (requests.length > 2 * REMEMBERED_REQUESTS) requests.splice(0, requests.length - REMEMBERED_REQUESTS);
}
