import { AsyncMusicError } from "./base.js";

/** The address of the audio returns 404: audio is available for seven days after its task completed. */
export class AudioExpiredError extends AsyncMusicError {
  override name = "AudioExpiredError";

  /** The address of the audio. */
  readonly url: string;

  constructor(url: string) {
    super(`Failed to download audio: ${url} answers 404. Audio is kept for seven days.`);
    this.url = url;
  }
}

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
