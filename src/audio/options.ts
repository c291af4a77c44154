import { numberRule, type OptionRules } from "../errors/options.js";
import { REQUEST_OPTIONS, type RequestOptions } from "../http/request-options.js";

/** Options of `audio.download`. */
export interface DownloadOptions extends RequestOptions {
  /**
   * The largest audio that is read, in bytes. A larger one fails with `AudioDownloadError`: at once if the response states its
   * size, otherwise when the limit is passed. `saveAudio` then leaves no file. `Infinity` removes the limit.
   *
   * @defaultValue 1 GiB, 1 073 741 824
   */
  maxBytes?: number | undefined;
  /**
   * With `"required"`, `size` of the download is always a number, as S3, R2 and GCS require it of a stream. If the response
   * states no size, the whole audio is read into memory first, at most 128 MiB of it: larger audio fails with
   * `AudioDownloadError`.
   *
   * @defaultValue `size` is `null` if the response states none
   */
  size?: "required" | undefined;
}

export const DOWNLOAD_OPTIONS: OptionRules<DownloadOptions> = {
  ...REQUEST_OPTIONS,
  maxBytes: numberRule(
    "be a whole number of bytes, 0 or more, or Infinity",
    (value) => value >= 0 && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
  ),
  size: ['be "required"', (value) => value === "required"],
};
