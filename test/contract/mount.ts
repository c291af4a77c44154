import type { Emulator } from "../../emulator/index.js";

/** A way of reaching an emulator. */
export type Mount = (emulator: Emulator) => Promise<Mounted>;

export interface Mounted {
  /** The service address. */
  baseUrl: string;
  /** Reaches everything that the emulator hands out. */
  fetch: typeof globalThis.fetch;
  /** What a client needs to be given; `undefined` leaves it to the global one. */
  clientFetch: typeof globalThis.fetch | undefined;
  close(): Promise<void>;
}
