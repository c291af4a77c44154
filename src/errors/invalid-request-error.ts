import type { ErrorCode } from "../contract/error-code.js";
import type { Known } from "../contract/task.js";
import { AsyncMusicError } from "./async-music-error.js";

/** A request that the service would refuse was refused here: nothing was sent and nothing was charged. */
export class InvalidRequestError extends AsyncMusicError {
  override name = "InvalidRequestError";

  /** The code with which the service would refuse it. */
  readonly errorCode: Known<ErrorCode>;

  /** Each rule that the request breaks: `path` is for example `input.prompt`. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(errorCode: string, issues: readonly { path: string; message: string }[]) {
    const reasons = issues.map(({ path, message }) => `\`${path === "" ? "request" : path}\` ${message}`);
    super(`Failed to send the request: ${errorCode}: ${reasons.join("; ")}. Nothing was sent.`);
    this.errorCode = errorCode;
    this.issues = issues;
  }
}
