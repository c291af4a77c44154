import { AsyncMusicError } from "./async-music-error.js";

/** The address of the audio answers 404: audio is kept for seven days after its task completed, then it is gone. */
export class AudioExpiredError extends AsyncMusicError {
  override name = "AudioExpiredError";

  /** The address of the audio. */
  readonly url: string;

  constructor(url: string) {
    super(`Failed to download audio: ${url} answers 404. Audio is kept for seven days.`);
    this.url = url;
  }
}
