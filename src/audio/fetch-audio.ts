import ky, { isNetworkError } from "ky";
import { HEADERS } from "../contract/wire.js";
import type { Deadline } from "../time/deadline.js";

/**
 * Asks for audio and answers the head of what comes. Neither the key nor a request id is sent, so a redirect to
 * wherever the audio lies may be followed.
 */
export async function fetchAudio(
  url: string,
  headers: Headers,
  fetch: typeof globalThis.fetch,
  deadline: Deadline,
): Promise<Response> {
  const sent = new Headers(headers);
  sent.delete(HEADERS.apiKey);
  sent.delete(HEADERS.requestId);
  // Only bytes as they are have a length that is told, and can be gone on with where they break off.
  if (!sent.has("Accept-Encoding")) sent.set("Accept-Encoding", "identity");
  const response = ky(url, {
    headers: sent,
    // The library's request follows the signal only weakly.
    fetch: (input, init) => fetch(input, { ...init, signal: deadline.signal }),
    signal: deadline.signal,
    credentials: "omit",
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
  });
  try {
    return await Promise.race([response, deadline.ended]);
  } catch (error) {
    // The library's own error holds the request, so it doesn't get out.
    throw isNetworkError(error) ? error.cause : error;
  }
}
