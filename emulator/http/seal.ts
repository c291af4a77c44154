import { HEADERS } from "../../src/contract/wire.js";
import { withoutBody } from "./answers.js";
import type { Answer } from "./exchange.js";
import type { Visit } from "./visit.js";

/** Gives an answer what every answer carries (Endpoints), and takes the body from one that may not have it. */
export function seal({ exchange, requestId, remaining }: Visit, answer: Answer): Answer {
  const { headers } = answer;
  headers[HEADERS.requestId] = requestId;
  headers["X-Emulator"] = "async-music";
  if (remaining !== null) headers[HEADERS.rateLimitRemaining] = String(remaining);
  return exchange.method === "HEAD" ? withoutBody(answer) : answer;
}
