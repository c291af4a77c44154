import type { Topic } from "./scenario.js";
import { CREATING } from "./scenarios/creating.js";
import { WAITING } from "./scenarios/waiting.js";

/** All scenarios, in the order of the report. The first one has no fault. */
export const TOPICS: readonly Topic[] = [CREATING, WAITING];
