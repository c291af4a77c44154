import { expect, test } from "vitest";
import { certainlyNeverSent } from "../../../src/http/fetch.js";

function failure(properties: object, cause?: unknown): Error {
  return Object.assign(new TypeError("fetch failed", { cause }), properties);
}

function cyclic(): Error {
  const error = new Error("round and round");
  error.cause = error;
  return error;
}

/** An error that many causes below the outermost. */
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
  ["a name that does not resolve", failure({}, failure({ code: "ENOTFOUND", syscall: "getaddrinfo" }))],
  ["a resolver that is busy", failure({}, failure({ code: "EAI_AGAIN" }))],
  ["a connection that takes too long", failure({}, failure({ code: "UND_ERR_CONNECT_TIMEOUT" }))],
  ["a network that can't be reached", failure({}, failure({ code: "ENETUNREACH", syscall: "connect" }))],
  ["a certificate that is too old", failure({}, failure({ code: "CERT_HAS_EXPIRED" }))],
  ["Bun's refused connection", failure({ code: "ConnectionRefused" })],
  ["a port that is forbidden", failure({}, new Error("bad port"))],
  ["a refused connection eight causes below", below(8, failure({ code: "ECONNREFUSED" }))],
  ["every address refused", failure({}, new AggregateError([failure({ code: "ECONNREFUSED" })]))],
];

const IN_DOUBT: [what: string, error: unknown][] = [
  ["a reset connection", failure({}, failure({ code: "ECONNRESET", syscall: "read" }))],
  ["a broken pipe", failure({}, failure({ code: "EPIPE", syscall: "write" }))],
  ["a socket that was closed", failure({}, failure({ code: "UND_ERR_SOCKET" }))],
  ["headers that took too long", failure({}, failure({ code: "UND_ERR_HEADERS_TIMEOUT" }))],
  ["an error without a code", failure({})],
  ["what only says that it is a refused connection", new Error("ECONNREFUSED")],
  ["what only speaks of a bad port", failure({}, new Error("a bad port answered"))],
  ["no error at all", undefined],
  ["a text", "ECONNREFUSED"],
  [
    "one address refused and another reset",
    new AggregateError([failure({ code: "ECONNREFUSED" }), failure({})]),
  ],
  ["addresses of which nothing is known", new AggregateError([])],
  ["an error that is its own cause", cyclic()],
  ["an error that is made of itself", aggregateOfItself()],
  ["a refused connection nine causes below", below(9, failure({ code: "ECONNREFUSED" }))],
];

test.each(NEVER_LEFT)("%s means that nothing was sent", (_, error) => {
  expect(certainlyNeverSent(error)).toBe(true);
});

test.each(IN_DOUBT)("%s does not mean that nothing was sent", (_, error) => {
  expect(certainlyNeverSent(error)).toBe(false);
});
