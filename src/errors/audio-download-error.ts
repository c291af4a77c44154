import { AsyncMusicError } from "./async-music-error.js";

/** The audio could not be downloaded whole. */
export class AudioDownloadError extends AsyncMusicError {
  override name = "AudioDownloadError";

  /** The address of the audio. */
  readonly url: string;

  /** The HTTP status; `null` when no answer came. */
  readonly status: number | null;

  constructor(message: string, details: { url: string; status: number | null; cause?: unknown }) {
    super(message, details);
    this.url = details.url;
    this.status = details.status;
  }
}
