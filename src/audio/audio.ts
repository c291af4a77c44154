import { notLoaded, shown, wrongValue } from "../errors/base.js";
import { AudioDownloadError } from "../errors/connection-errors.js";
import { checkOptions } from "../errors/options.js";
import type { Context } from "../http/context.js";
import { within } from "../time/deadline.js";
import { withClockStopped } from "../time/stopped-clock.js";
import type { AudioDownload, SizedAudioDownload } from "./download.js";
import { DOWNLOAD_OPTIONS, type DownloadOptions } from "./options.js";

type DownloadCode = typeof import("./download.js");

/** Downloads the audio of clips. */
export class Audio {
  readonly #context: Context;
  #code: DownloadCode | undefined;

  /** @internal */
  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Downloads a clip's audio with a known `size`, for an upload to S3, R2 or GCS: as without `size: "required"`, which documents the
   * limits and the errors. Audio of an unstated size is read into memory first: over 128 MiB, it fails with `AudioDownloadError`.
   */
  download(
    source: string | URL | { audio_url: string },
    options: DownloadOptions & { size: "required" },
  ): Promise<SizedAudioDownload>;
  /**
   * Downloads a clip's audio. The request is retried like a read; the body is a stream that is resumed after a broken
   * connection, and ends whole or fails. Neither the API key nor a request ID is sent, redirects are followed,
   * and nothing counts against the rate limit. `timeoutMs` limits the time to the headers, and the time between two pieces
   * of the body. At most `maxBytes` are read, 1 GiB by default. With `size: "required"`, the size is always known; otherwise it
   * is `null` if the response does not state it.
   *
   * @param source - a clip, or its `audio_url`
   * @throws `InvalidOptionError` the source is no address of audio, or an option is out of range or misspelled
   * @throws `AudioExpiredError` the address returns 404: audio is kept for seven days
   * @throws `AudioDownloadError` any other failure. Also audio whose stated size exceeds `maxBytes`, an HTML, JSON or XML document
   * instead of audio, and a body in a content coding such as gzip, because one that was cut off can't be recognized. To accept
   * a coding, request it with the header `Accept-Encoding`
   *
   * @example
   * ```ts
   * for (const clip of song.output.result) {
   *   const { contentType, size } = await client.audio.download(clip);
   *   console.log(contentType, size);
   * }
   * ```
   */
  download(source: string | URL | { audio_url: string }, options?: DownloadOptions): Promise<AudioDownload>;
  async download(
    source: string | URL | { audio_url: string },
    options: DownloadOptions = {},
  ): Promise<AudioDownload> {
    const context = this.#context;
    return context.trace("download audio", {}, async () => {
      const url = audioUrlOf(source);
      const own = checkOptions(options, DOWNLOAD_OPTIONS, context.redactor);
      this.#code ??= await loadCode(context, url, own);
      return this.#code.download(context, url, own);
    });
  }
}

/** Loads the code of downloads, and ky with it: most clients download nothing. A virtual clock stands still meanwhile. */
async function loadCode(
  { clock, redactor, timeoutMs }: Context,
  url: string,
  options: DownloadOptions,
): Promise<DownloadCode> {
  const load = () => withClockStopped(clock, import("./download.js"));
  try {
    return await within(options.timeoutMs ?? timeoutMs, load, options.signal);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new AudioDownloadError(notLoaded("Failed to download audio"), {
      url: redactor.safeText(url),
      status: null,
      cause: redactor.cause(error),
    });
  }
}

export function audioUrlOf(source: unknown): string {
  const { audio_url, then, task_id } = Object(source);
  const given: unknown = typeof source === "object" ? (audio_url ?? source) : source;
  const address = given instanceof URL ? given.href : given;
  if (typeof address === "string" && /^https?:\/\//i.test(address) && URL.canParse(address)) {
    const { username, password, href } = new URL(address);
    // `safeText` finds every password in the normal form of a URL.
    return username === "" && password === "" ? address : href;
  }
  // A value that contains a clip, but is none.
  let got = shown(address);
  if (task_id !== undefined) got = "a task: pass one clip of `task.output.result`";
  if (typeof then === "function") got = "a promise: await it first";
  if (Array.isArray(source)) got = "a list: pass one clip of it";
  const rule = "be a clip or an address that begins with http:// or https://";
  throw wrongValue("source", rule, got);
}
