import { AUDIO_FORMAT } from "./audio-format.js";
import { CONTINUATION } from "./continuation.js";
import { CUSTOM } from "./custom.js";
import { ENVELOPE } from "./envelope.js";
import { INSPIRATION } from "./inspiration.js";
import { CONCAT, LYRICS, UPLOAD } from "./other-tasks.js";
import { PROVIDER_B } from "./provider-b.js";
import type { RequestRow } from "./row.js";
import { SEVERAL_VIOLATIONS } from "./several-violations.js";
import { UPLOAD_ADDRESSES } from "./upload-addresses.js";

export const REQUESTS: readonly RequestRow[] = [
  ...ENVELOPE,
  ...AUDIO_FORMAT,
  ...INSPIRATION,
  ...CUSTOM,
  ...CONTINUATION,
  ...PROVIDER_B,
  ...LYRICS,
  ...UPLOAD,
  ...UPLOAD_ADDRESSES,
  ...CONCAT,
  ...SEVERAL_VIOLATIONS,
];
