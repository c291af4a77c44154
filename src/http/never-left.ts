/** System calls that come before the first byte of a request. */
const BEFORE_SENDING_CALLS = new Set(["connect", "getaddrinfo"]);

/** Error codes of the runtimes' `fetch` that mean that no connection came about. */
const BEFORE_SENDING_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "FailedToOpenSocket",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** What undici says, without a code, of a port that the fetch standard forbids: it looks before it connects. */
export const FORBIDDEN_PORT = "bad port";

/** How many causes behind an error are looked at: a chain may run in a circle. */
export const DEEPEST = 8;

/**
 * Whether a failed `fetch` certainly never sent anything, so that a POST can't have had an effect. Unless the error
 * says so with a code, the answer is no: a connection may break at any moment after the request arrived.
 */
export function certainlyNeverLeft(error: unknown): boolean {
  try {
    return saysNothingLeft(error, 0);
  } catch {
    // An error of a custom `fetch` may throw when it is read.
    return false;
  }
}

function saysNothingLeft(error: unknown, depth: number): boolean {
  if (!(error instanceof Error) || depth > DEEPEST) return false;
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every((each) => saysNothingLeft(each, depth + 1));
  }
  return isBeforeSending(error) || saysNothingLeft(error.cause, depth + 1);
}

function isBeforeSending(error: Error): boolean {
  const { code, syscall, message } = error as Error & { code?: unknown; syscall?: unknown };
  return (
    message === FORBIDDEN_PORT ||
    BEFORE_SENDING_CODES.has(String(code)) ||
    BEFORE_SENDING_CALLS.has(String(syscall))
  );
}
