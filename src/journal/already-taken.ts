import { AsyncMusicError } from "../errors/base.js";

/** Cancels a POST just before it is sent: another run has taken the key. An error of the SDK passes the retries unchanged. */
export class AlreadyTaken extends AsyncMusicError {}
