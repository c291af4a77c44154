import { AsyncMusicError } from "./async-music-error.js";

/** The audio could not be downloaded completely, or `saveAudio` could not save it. */
export class AudioDownloadError extends AsyncMusicError {
  override name = "AudioDownloadError";

  /** The address of the audio. */
  readonly url: string;

  /** The HTTP status; `null` if there was no response, or if saving failed. */
  readonly status: number | null;

  constructor(message: string, details: { url: string; status: number | null; cause?: unknown }) {
    super(message, details);
    this.url = details.url;
    this.status = details.status;
  }
}
