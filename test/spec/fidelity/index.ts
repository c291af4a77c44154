import { ANSWERS } from "./answers.js";
import { ENDPOINTS } from "./endpoints.js";
import { ERRORS } from "./errors.js";
import { LIMITS } from "./limits.js";
import { REQUESTS } from "./requests.js";
import type { Section } from "./section.js";
import { SERVICE } from "./service.js";

/** The whole interface, in its own order. */
export const FIDELITY: readonly Section[] = [
  ...SERVICE,
  ...REQUESTS,
  ...ANSWERS,
  ...ENDPOINTS,
  ...ERRORS,
  ...LIMITS,
];
