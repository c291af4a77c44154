import { describe, expect, test } from "vitest";
import {
  CALLS_BEFORE_SENDING,
  CODES_BEFORE_SENDING,
  certainlyNeverSent,
} from "../../../src/http/never-sent.js";

function failure(properties: object, cause?: unknown): Error {
  return Object.assign(new TypeError("fetch failed", { cause }), properties);
}

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
  ["a refused connection", failure({}, failure({ code: "ECONNREFUSED", syscall: "connect" }))],
  ["a host name that does not resolve", failure({}, failure({ code: "ENOTFOUND", syscall: "getaddrinfo" }))],
  ["a temporary DNS failure", failure({}, failure({ code: "EAI_AGAIN" }))],
  ["a connection timeout", failure({}, failure({ code: "UND_ERR_CONNECT_TIMEOUT" }))],
  ["an unreachable network", failure({}, failure({ code: "ENETUNREACH", syscall: "connect" }))],
  ["an expired certificate", failure({}, failure({ code: "CERT_HAS_EXPIRED" }))],
  ["Bun's refused connection", failure({ code: "ConnectionRefused" })],
  ["a forbidden port", failure({}, new Error("bad port"))],
  ["a refused connection at the eighth nested cause", below(8, failure({ code: "ECONNREFUSED" }))],
  [
    "an AggregateError of refused connections only",
    failure({}, new AggregateError([failure({ code: "ECONNREFUSED" })])),
  ],
];

const IN_DOUBT: [what: string, error: unknown][] = [
  ["a reset connection", failure({}, failure({ code: "ECONNRESET", syscall: "read" }))],
  ["a broken pipe", failure({}, failure({ code: "EPIPE", syscall: "write" }))],
  ["a closed socket", failure({}, failure({ code: "UND_ERR_SOCKET" }))],
  ["a headers timeout", failure({}, failure({ code: "UND_ERR_HEADERS_TIMEOUT" }))],
  ["an error without a code", failure({})],
  ["an error with ECONNREFUSED in its message only", new Error("ECONNREFUSED")],
  ["an error with another message about a bad port", failure({}, new Error("a bad port answered"))],
  ["undefined", undefined],
  ["a string", "ECONNREFUSED"],
  [
    "an AggregateError of a refused and another failed connection",
    new AggregateError([failure({ code: "ECONNREFUSED" }), failure({})]),
  ],
  ["an empty AggregateError", new AggregateError([])],
  ["an error that is its own cause", cyclic()],
  ["an AggregateError that contains itself", aggregateOfItself()],
  ["a refused connection at the ninth nested cause", below(9, failure({ code: "ECONNREFUSED" }))],
];

test.each(NEVER_LEFT)("%s proves that nothing was sent", (_, error) => {
  expect(certainlyNeverSent(error)).toBe(true);
});

test.each(IN_DOUBT)("%s does not prove that nothing was sent", (_, error) => {
  expect(certainlyNeverSent(error)).toBe(false);
});

/** Codes that prove nothing by themselves, though some of them also come before a request is sent. */
const CODES_IN_DOUBT = [
  ...[
    "ECONNRESET",
    "ECONNABORTED",
    "EPIPE",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENETDOWN",
    "EPROTO",
  ],
  ...[
    "UND_ERR_SOCKET",
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
    "UND_ERR_ABORTED",
    "HPE_INVALID_CONSTANT",
  ],
  ...[
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "ERR_SSL_BAD_RECORD_TYPE",
    "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC",
  ],
  ...[
    "ERR_SSL_PACKET_LENGTH_TOO_LONG",
    "ERR_STREAM_PREMATURE_CLOSE",
    "ABORT_ERR",
    "Timeout",
    "ConnectionClosed",
  ],
];
const CALLS_IN_DOUBT = ["read", "write", "shutdown", undefined];

describe("every code with every system call", () => {
  const calls = [...CALLS_BEFORE_SENDING, ...CALLS_IN_DOUBT];
  const codes = [...CODES_BEFORE_SENDING, ...CODES_IN_DOUBT];
  test.each(codes.flatMap((code) => calls.map((syscall) => [code, syscall] as const)))(
    "%s of %s",
    (code, syscall) => {
      const isProof =
        CODES_BEFORE_SENDING.includes(code) ||
        (syscall !== undefined && CALLS_BEFORE_SENDING.includes(syscall));
      expect(certainlyNeverSent(failure({}, failure({ code, syscall })))).toBe(isProof);
    },
  );
});
