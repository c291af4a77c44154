import { createRequestId, systemRandom } from "../time/random.js";

/** From the system's chance, always: clients of one seed, in two processes, must not take each other's for their own. */
export function newRevision(): string {
  return createRequestId(systemRandom);
}
