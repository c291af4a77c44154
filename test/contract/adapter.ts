import type { Emulator } from "../../emulator/index.js";
import type { ClientOptions } from "../../src/index.js";

export type Adapter = (emulator: Emulator) => Promise<Connected>;

export interface Connected {
  baseUrl: string;
  /** Reaches everything that the emulator hands out. */
  fetch: typeof globalThis.fetch;
  /** What a client needs to be given; `undefined` leaves it to the global one. */
  clientFetch: typeof globalThis.fetch | undefined;
  /** What else a client has to be told in this runtime. */
  clientOptions?: ClientOptions;
  close(): Promise<void>;
}
