import type { RequestOptions } from "../http/call.js";
import type { Transport } from "../http/transport.js";
import type { AudioDownload } from "./audio-download.js";
import { audioUrlOf } from "./audio-url.js";
import { downloadAudio } from "./download.js";

/** The sound of clips. */
export class Audio {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Downloads a clip's audio. Its head is retried like a read; its body is a stream that is resumed where the
   * connection breaks, and ends whole or fails. Neither the API key nor a request id is sent, redirects are followed,
   * and nothing counts against the rate limit. `timeoutMs` limits the time to the head, and the time between two pieces
   * of the body.
   *
   * @param source - a clip, or its `audio_url`
   * @throws {@link AudioExpiredError} the address answers 404: audio is kept for seven days
   * @throws {@link AudioDownloadError} any other failure
   *
   * @example
   * ```ts
   * for (const clip of song.output.result) {
   *   const { contentType, size } = await client.audio.download(clip);
   *   console.log(contentType, size);
   * }
   * ```
   */
  async download(
    source: string | URL | { audio_url: string },
    options: RequestOptions = {},
  ): Promise<AudioDownload> {
    return this.#transport.trace("download audio", {}, () =>
      downloadAudio(this.#transport, audioUrlOf(source), options),
    );
  }
}
