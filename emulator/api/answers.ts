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
