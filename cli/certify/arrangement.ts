import type { Emulator, FaultRule, Outcome, Policy } from "../../emulator/index.js";

/** How the service of a scenario differs from one on which all goes well. */
export interface Arrangement {
  /** The outcome of the tasks. @defaultValue one clip, at the second read */
  readonly outcome?: Outcome;
  /** The outcome of the first task, if later ones differ. */
  readonly firstOutcome?: Outcome;
  readonly faults?: readonly FaultRule[];
  readonly policy?: Partial<Policy>;
  readonly credits?: number;
  prepare?(emulator: Emulator): void;
  /** Returns what changes the responses of one run. */
  deviate?(): Deviation;
}

/** Responds to a request of the client. `next` is the emulator. A rejection breaks the connection. */
export type Deviation = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  emulator: Emulator,
) => Promise<Response>;

/** Arranges a fault of the first of these requests, or of the first `times`. */
export function failing(method: "GET" | "POST", path: string) {
  return (fault: FaultRule["fault"], times = 1): Arrangement => ({
    faults: [{ method, path, times, fault }],
  });
}
