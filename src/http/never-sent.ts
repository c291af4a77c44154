import { isError } from "../contract/thrown.js";

/**
 * What undici reports without a code of its own before a request is sent: a port that the fetch standard forbids, and a proxy that
 * refuses a tunnel to the service.
 */
export const UNCODED = /^(?:bad port|Proxy response \(\d+\) !== 200 when HTTP Tunneling)$/;

/** Messages of Node for a server that ends the TLS handshake, and of Deno for a connection that was never made. */
const BEFORE_SENDING =
  /^Client network socket disconnected before secure TLS |^error sending request for url \(\S+\): client error \(Connect\): /;

/** How many causes of an error are inspected: a chain may run in a circle. */
export const DEEPEST_CAUSE = 8;

/** System calls that come before the first byte of a request. */
const CALLS_BEFORE_SENDING: readonly string[] = ["connect", "getaddrinfo"];

/** Error codes that mean that nothing was sent. */
const CODES_BEFORE_SENDING: readonly string[] = [
  // No connection was made.
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  // undici refused a header of the request, such as `Expect` or `Upgrade`.
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "ConnectionRefused",
  "FailedToOpenSocket",
  // The client refused the certificate.
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/** The prefix of the codes of OpenSSL in Node. Most of them also come after the handshake. */
export const OPENSSL = "ERR_SSL_";

/**
 * The two sides of a handshake have no protocol, version, cipher or host name in common. These codes prove something only as the cause of
 * a `TypeError`, as `fetch` throws them. `node:https` also reports them for a connection that breaks after the request.
 */
const CODES_OF_HANDSHAKES: readonly string[] = [
  "ERR_SSL_NO_PROTOCOLS_AVAILABLE",
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_TLSV1_UNRECOGNIZED_NAME",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_WRONG_VERSION_NUMBER",
];

/**
 * Whether a failed `fetch` certainly never sent anything, so that a POST can't have had an effect. Without such a
 * code, the request may have arrived: a connection can break at any moment after that.
 *
 * @param address - of the service, if the `fetch` is not the platform's: an error that names another server is of another request
 */
export function certainlyNeverSent(
  error: unknown,
  address: string | null = null,
  depth = 0,
  isOfFetch = false,
): boolean {
  try {
    if (!isError(error) || depth > DEEPEST_CAUSE) return false;
    const errors: unknown = error.name === "AggregateError" && Reflect.get(error, "errors");
    if (Array.isArray(errors) && errors.length > 0)
      return errors.every((each) => certainlyNeverSent(each, address, depth + 1, isOfFetch));
    if (address !== null && namesAnotherServer(error, new URL(address))) return false;
    const { message } = error;
    // Not of a polluted `Object.prototype`.
    const own = (key: string) => String(Object.hasOwn(error, key) && Reflect.get(error, key));
    const name = own("code");
    const isBeforeSending =
      UNCODED.test(message) ||
      BEFORE_SENDING.test(message) ||
      CODES_BEFORE_SENDING.includes(name) ||
      (isOfFetch && CODES_OF_HANDSHAKES.includes(name)) ||
      CALLS_BEFORE_SENDING.includes(own("syscall"));
    return isBeforeSending || certainlyNeverSent(error.cause, address, depth + 1, error.name === "TypeError");
  } catch {
    // An error of a custom `fetch` may throw when it is read.
    return false;
  }
}

function namesAnotherServer(error: Error, service: URL): boolean {
  const { hostname, host, address, port } = error as {
    [Name in "hostname" | "host" | "address" | "port"]?: unknown;
  };
  const own = withoutBrackets(service.hostname);
  const isAddress = /^[\d.]+$|:/.test(own);
  const names = [hostname, host, isAddress ? address : undefined];
  const servicePort = service.port || (service.protocol === "https:" ? "443" : "80");
  return (
    String(port ?? servicePort) !== servicePort ||
    names.some((name) => name !== undefined && withoutBrackets(name) !== own)
  );
}

function withoutBrackets(name: unknown): string {
  return String(name).replace(/[[\]]/g, "");
}
