import type { Answer } from "./exchange.js";

const encoder = new TextEncoder();

/** An answer of JSON. */
export function jsonAnswer(status: number, body: unknown, errorCode: string | null = null): Answer {
  return answerOf(status, "application/json", JSON.stringify(body), errorCode);
}

/** An answer of text. */
export function textAnswer(contentType: string, text: string): Answer {
  return answerOf(200, contentType, text, null);
}

/** An answer of bytes. */
export function bytesAnswer(status: number, contentType: string, body: Uint8Array<ArrayBuffer>): Answer {
  return answerOf(status, contentType, body, null);
}

/** The bytes of a body. */
export function bytesOf(body: Answer["body"]): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? encoder.encode(body) : body;
}

/** Whether each letter of a body is one byte. */
function isAscii(body: Answer["body"]): body is string {
  return typeof body === "string" && !/[^\0-\x7f]/.test(body);
}

/** An answer with the true length of its body. */
function answerOf(
  status: number,
  contentType: string,
  body: Answer["body"],
  errorCode: string | null,
): Answer {
  const length = isAscii(body) ? body.length : bytesOf(body).byteLength;
  const headers = { "Content-Type": contentType, "Content-Length": String(length) };
  return { status, headers, body, errorCode };
}

/** The same answer without its body, but with the length that the body has. */
export function withoutBody(answer: Answer): Answer {
  return { ...answer, body: "" };
}

/** Statuses that come without a body. */
export const BODILESS_STATUSES: readonly number[] = [204, 205, 304];

/** The same answer with nothing in it. */
export function bodiless(answer: Answer): Answer {
  const { "Content-Type": _, ...headers } = answer.headers;
  return { ...answer, headers: { ...headers, "Content-Length": "0" }, body: "" };
}
