import type { Answer } from "./exchange.js";

const encoder = new TextEncoder();

/** An answer of JSON. */
export function jsonAnswer(status: number, body: unknown, errorCode: string | null = null): Answer {
  return bytesAnswer(status, "application/json", encoder.encode(JSON.stringify(body)), errorCode);
}

/** An answer of text. */
export function textAnswer(contentType: string, text: string): Answer {
  return bytesAnswer(200, contentType, encoder.encode(text));
}

/** An answer of bytes, with their true length. */
export function bytesAnswer(
  status: number,
  contentType: string,
  body: Uint8Array<ArrayBuffer>,
  errorCode: string | null = null,
): Answer {
  const headers = { "Content-Type": contentType, "Content-Length": String(body.byteLength) };
  return { status, headers, body, errorCode };
}

/** The same answer without its body, but with the length that the body has. */
export function withoutBody(answer: Answer): Answer {
  return { ...answer, body: new Uint8Array() };
}

/** Statuses that come without a body. */
export const BODILESS_STATUSES: readonly number[] = [204, 205, 304];

/** The same answer with nothing in it. */
export function bodiless(answer: Answer): Answer {
  const { "Content-Type": _, ...headers } = answer.headers;
  return { ...answer, headers: { ...headers, "Content-Length": "0" }, body: new Uint8Array() };
}
