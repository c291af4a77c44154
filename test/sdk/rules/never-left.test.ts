import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { certainlyNeverSent } from "../../../src/http/never-sent.js";

function failure(properties: object = {}, cause?: unknown): Error {
  return Object.assign(new TypeError("fetch failed", { cause }), properties);
}

/** What `fetch` of Node throws for an error of the system. */
const coded = (code: string, syscall = {}) => failure({}, failure({ code, ...syscall }));

/** What `fetch` of Deno throws. */
const deno = (reason: string) => failure({}, new Error(`${DENO}: client error (${reason}`));

/** How messages of Deno begin. */
const DENO = "error sending request for url (https://127.0.0.1:35557/api/v1/task)";

/** Of undici and of Node. */
const TUNNEL = "Proxy response (407) !== 200 when HTTP Tunneling";
const HANDSHAKE = "Client network socket disconnected before secure TLS connection was established";

function cyclic(): Error {
  const error = new Error("round and round");
  error.cause = error;
  return error;
}

/** An error nested at this depth of `cause`. */
function below(levels: number, innermost: Error): Error {
  return levels === 0 ? innermost : new Error("outer", { cause: below(levels - 1, innermost) });
}

function aggregateOfItself(): Error {
  const error = new AggregateError([new Error("round")]);
  error.errors[0] = error;
  return error;
}

const NEVER_LEFT: [what: string, error: unknown][] = [
  ["a refused connection", coded("ECONNREFUSED", { syscall: "connect" })],
  ["a host name that does not resolve", coded("ENOTFOUND", { syscall: "getaddrinfo" })],
  ["a temporary DNS failure", coded("EAI_AGAIN")],
  ["a connection timeout", coded("UND_ERR_CONNECT_TIMEOUT")],
  ["an unreachable network", coded("ENETUNREACH", { syscall: "connect" })],
  ["an expired certificate", coded("CERT_HAS_EXPIRED")],
  ["Bun's refused connection", failure({ code: "ConnectionRefused" })],
  ["a forbidden port", failure({}, new Error("bad port"))],
  ["a proxy that refuses a tunnel", below(1, coded("UND_ERR_ABORTED", { message: TUNNEL }))],
  ["a server that ends the handshake", coded("ECONNRESET", { message: HANDSHAKE })],
  ["Deno's handshake with http", deno("Connect): received corrupt message of type InvalidContentType")],
  ["Deno's refused connection", deno("Connect): tcp connect error")],
  ["a refused connection at the eighth nested cause", below(8, failure({ code: "ECONNREFUSED" }))],
  ["several refused connections", failure({}, new AggregateError([failure({ code: "ECONNREFUSED" })]))],
];

const IN_DOUBT: [what: string, error: unknown][] = [
  ["a reset connection", coded("ECONNRESET", { syscall: "read" })],
  ["a broken pipe", coded("EPIPE", { syscall: "write" })],
  ["a closed socket", coded("UND_ERR_SOCKET")],
  ["a headers timeout", coded("UND_ERR_HEADERS_TIMEOUT")],
  ["an error without a code", failure()],
  ["an error with ECONNREFUSED in its message only", new Error("ECONNREFUSED")],
  ["an error with another message about a bad port", failure({}, new Error("a bad port answered"))],
  ["a message that quotes a proxy's", new Error(`gateway: ${TUNNEL}`)],
  ["a server that ends the connection later", coded("ECONNRESET", { message: "read ECONNRESET" })],
  ["Deno's broken connection", deno("SendRequest): connection closed")],
  ["Deno's damaged record", failure({}, new Error("received corrupt message of type InvalidContentType"))],
  ["a message that quotes Deno's", new Error(`proxy: ${DENO}: client error (Connect): tcp connect error`)],
  ["undefined", undefined],
  ["a string", "ECONNREFUSED"],
  ["a refused and another connection", new AggregateError([failure({ code: "ECONNREFUSED" }), failure()])],
  ["an empty AggregateError", new AggregateError([])],
  ["an error that is its own cause", cyclic()],
  ["an AggregateError that contains itself", aggregateOfItself()],
  ["a refused connection at the ninth nested cause", below(9, failure({ code: "ECONNREFUSED" }))],
];

/** The constructors of another realm, as the code of Node has while Jest, or Vitest with `vmThreads`, runs a test. */
const OTHER: Record<"Error" | "TypeError" | "AggregateError", ErrorConstructor> = runInNewContext(
  "({ Error, TypeError, AggregateError })",
);

/** A copy of an error, and of all errors in it, that consists of errors of another realm. */
function inOtherRealm(error: Error): Error {
  const { cause, errors }: { cause?: unknown; errors?: unknown[] } = error as AggregateError;
  const name = error.name === "TypeError" || error.name === "AggregateError" ? error.name : "Error";
  const made =
    name === "AggregateError" ? Reflect.construct(OTHER[name], [[]]) : new OTHER[name](error.message);
  return Object.assign(made, error, {
    ...(cause instanceof Error && { cause: inOtherRealm(cause) }),
    ...(errors !== undefined && { errors: errors.map((each) => inOtherRealm(each as Error)) }),
  });
}

test.each(NEVER_LEFT)("%s in another realm proves that nothing was sent", (_, error) => {
  const copy = inOtherRealm(error as Error);
  expect(copy).not.toBeInstanceOf(Error);
  expect(certainlyNeverSent(copy)).toBe(true);
});

test.each(NEVER_LEFT)("%s proves that nothing was sent", (_, error) => {
  expect(certainlyNeverSent(error)).toBe(true);
});

test.each(IN_DOUBT)("%s does not prove that nothing was sent", (_, error) => {
  expect(certainlyNeverSent(error)).toBe(false);
});

test.each(["code", "syscall"])("a polluted `Object.prototype.%s` proves nothing", (name) => {
  Object.defineProperty(Object.prototype, name, {
    configurable: true,
    value: name === "code" ? "ECONNREFUSED" : "connect",
  });
  onTestFinished(() => void Reflect.deleteProperty(Object.prototype, name));
  expect(certainlyNeverSent(failure({}, new Error("other side closed")))).toBe(false);
});

test.each<[service: string, named: object, isOfService: boolean]>([
  ["https://music.example", {}, true],
  ["https://music.example", { hostname: "music.example" }, true],
  ["https://music.example", { hostname: "metrics.example" }, false],
  ["https://music.example", { host: "music.example", port: 443 }, true],
  ["https://music.example", { host: "metrics.example" }, false],
  ["https://music.example", { address: "192.0.2.1", port: 443 }, true],
  ["https://music.example", { address: "192.0.2.1", port: 8125 }, false],
  ["http://music.example", { port: 443 }, false],
  ["http://192.0.2.1", { address: "192.0.2.1", port: 80 }, true],
  ["http://192.0.2.1", { address: "192.0.2.2", port: 80 }, false],
  ["http://[2001:db8::1]:8080", { address: "2001:db8::1", host: "[2001:db8::1]", port: "8080" }, true],
  ["http://[2001:db8::1]:8080", { address: "2001:db8::2", port: "8080" }, false],
])("a custom `fetch` for %s: an error that names %j is of the service: %s", (service, named, isOfService) => {
  const error = coded("ECONNREFUSED", { syscall: "connect", ...named });
  expect(certainlyNeverSent(error, service)).toBe(isOfService);
});

type Finding = "nothing was sent" | "in doubt";

/**
 * What each code proves, typed by hand from the documentation of Node (`errno`, `tls`, `dns`), undici, OpenSSL and Bun. A code is a
 * proof only if no connection reports it after its first byte of HTTP.
 */
const CODES: Record<string, Finding> = {
  // errno: the first two end an attempt to connect. The others also end an established connection.
  ECONNREFUSED: "nothing was sent",
  ENOTFOUND: "nothing was sent",
  EAI_AGAIN: "nothing was sent",
  ECONNRESET: "in doubt",
  ECONNABORTED: "in doubt",
  EPIPE: "in doubt",
  ETIMEDOUT: "in doubt",
  EHOSTUNREACH: "in doubt",
  ENETUNREACH: "in doubt",
  ENETDOWN: "in doubt",
  EPROTO: "in doubt",
  // undici
  UND_ERR_CONNECT_TIMEOUT: "nothing was sent",
  UND_ERR_INVALID_ARG: "nothing was sent",
  UND_ERR_NOT_SUPPORTED: "nothing was sent",
  UND_ERR_SOCKET: "in doubt",
  UND_ERR_HEADERS_TIMEOUT: "in doubt",
  UND_ERR_BODY_TIMEOUT: "in doubt",
  UND_ERR_ABORTED: "in doubt",
  HPE_INVALID_CONSTANT: "in doubt",
  ERR_STREAM_PREMATURE_CLOSE: "in doubt",
  ABORT_ERR: "in doubt",
  // Bun
  ConnectionRefused: "nothing was sent",
  FailedToOpenSocket: "nothing was sent",
  ConnectionClosed: "in doubt",
  Timeout: "in doubt",
  // A refused certificate: the client ends the handshake before it sends the request.
  CERT_HAS_EXPIRED: "nothing was sent",
  CERT_NOT_YET_VALID: "nothing was sent",
  CERT_REVOKED: "nothing was sent",
  CERT_UNTRUSTED: "nothing was sent",
  DEPTH_ZERO_SELF_SIGNED_CERT: "nothing was sent",
  SELF_SIGNED_CERT_IN_CHAIN: "nothing was sent",
  ERR_TLS_CERT_ALTNAME_INVALID: "nothing was sent",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "nothing was sent",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "nothing was sent",
  // A handshake without a common version or cipher, as the cause of fetch's TypeError.
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": "nothing was sent",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "nothing was sent",
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "nothing was sent",
  ERR_SSL_WRONG_VERSION_NUMBER: "nothing was sent",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "nothing was sent",
  // Alerts and damaged records of an established connection.
  ERR_SSL_BAD_RECORD_TYPE: "in doubt",
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: "in doubt",
  ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC: "in doubt",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "in doubt",
  ERR_SSL_UNEXPECTED_EOF_WHILE_READING: "in doubt",
};

/** What each system call proves, whatever the code is. */
const CALLS: Record<string, Finding> = {
  connect: "nothing was sent",
  getaddrinfo: "nothing was sent",
  read: "in doubt",
  write: "in doubt",
  shutdown: "in doubt",
  none: "in doubt",
};

const finding = (error: unknown): Finding => (certainlyNeverSent(error) ? "nothing was sent" : "in doubt");

describe.each(Object.entries(CALLS))("an error of the system call %s", (call, byCall) => {
  const syscall = call === "none" ? {} : { syscall: call };
  test.each(Object.entries(CODES))("with the code %s", (code, byCode) => {
    const proven = [byCall, byCode].includes("nothing was sent") ? "nothing was sent" : "in doubt";
    expect(finding(coded(code, syscall))).toBe(proven);
  });
});

test.each(Object.keys(CODES).filter((code) => code.startsWith("ERR_SSL_")))(
  "%s of `node:https` is in doubt",
  (code) => {
    const error = Object.assign(new Error("write EPROTO"), { code });
    expect(finding(error)).toBe("in doubt");
    expect(finding(new Error("request failed", { cause: error }))).toBe("in doubt");
  },
);
