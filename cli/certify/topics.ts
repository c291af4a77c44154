import type { Topic } from "./scenario.js";
import { ACCOUNT } from "./scenarios/account.js";
import { AUDIO_LINKS } from "./scenarios/audio.js";
import { CREATING } from "./scenarios/creating.js";
import { FAILURES } from "./scenarios/failures.js";
import { RATE_LIMIT } from "./scenarios/rate-limit.js";
import { TOLERANCE } from "./scenarios/tolerance.js";
import { WAITING } from "./scenarios/waiting.js";

/** All scenarios, in the order of the report. The first one has no fault. */
export const TOPICS: readonly Topic[] = [
  CREATING,
  WAITING,
  RATE_LIMIT,
  FAILURES,
  AUDIO_LINKS,
  TOLERANCE,
  ACCOUNT,
];
