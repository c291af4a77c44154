import type { AsyncMusic, DownloadOptions, RequestOptions } from "async-music";
import { type Answerer, createWorld, type SeenRequest } from "../../support/world.js";

export const AUDIO_URL = "https://audio.example/song";
export const SONG = "la la la, sang the rain";
export const MP3 = { "Content-Type": "audio/mpeg" };
export const ETAG = { ETag: '"v1"' };
/** A date that identifies a version, since the response is a second later. */
export const MODIFIED = {
  "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT",
  Date: "Thu, 01 Jan 2026 00:00:01 GMT",
};
export const LENGTH = { "Content-Length": String(SONG.length) };

export type HeaderFields = Record<string, string>;

/** The bytes of a string. */
export const encode = (text: string) => new TextEncoder().encode(text);

/** An MP3. */
export const mp3 = (body: BodyInit | null = "la la la", headers: HeaderFields = {}, status = 200) =>
  new Response(body, { status, headers: { ...MP3, ...headers } });

/** A JSON error response with this status. */
export const failure =
  (status: number, headers: HeaderFields = {}) =>
  () =>
    new Response("no", { status, headers });

/** A 206 response with the song from this offset. */
export function part(
  start: number,
  headers: HeaderFields = {},
  body: BodyInit = SONG.slice(start),
): Response {
  const range = `bytes ${start}-${SONG.length - 1}/${SONG.length}`;
  return mp3(body, { "Content-Range": range, ...headers }, 206);
}

/** The first byte of a range request. */
export const startOf = ({ headers }: SeenRequest) =>
  Number(/^bytes=(\d+)-$/.exec(headers.get("Range") ?? "")?.[1]);

/** A body that breaks off after this string. */
export function brokenAfter(text: string, error: unknown = new TypeError("terminated")) {
  let isSent = text === "";
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent) controller.error(error);
      else controller.enqueue(encode(text));
      isSent = true;
    },
  });
}

/** A body that never ends. */
export function endless(onCancel = () => {}) {
  return new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(64)),
    cancel: onCancel,
  });
}

/** A service whose first response breaks off after six bytes, and its other responses; without any, a 500. */
export function breaking(
  headers: HeaderFields,
  ...then: ((request: SeenRequest) => Response | Promise<Response>)[]
) {
  return createWorld((request, index) => {
    if (index === 0) return mp3(brokenAfter(SONG.slice(0, 6)), headers);
    const answer = then[Math.min(index, then.length) - 1];
    return answer === undefined ? new Response("no", { status: 500 }) : answer(request);
  });
}

/** A download from a service with these responses. */
export const download = (answer: Answerer, options?: DownloadOptions) =>
  createWorld(answer).client.audio.download(AUDIO_URL, options);

/** The complete body of a download as a string. */
export async function load(client: AsyncMusic, options?: RequestOptions): Promise<string> {
  const audio = await client.audio.download(AUDIO_URL, options);
  return new TextDecoder().decode(await audio.arrayBuffer());
}
