import type { ClientOptions } from "../../options.js";

/** Where text goes. */
export interface Output {
  /** Whether a person looks at it, and a line can be drawn again. */
  readonly isTerminal: boolean;
  /** How many characters a line has room for. */
  readonly columns: number;
  write(text: string): void;
}

/** What a person or a machine ends a command with. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type EndingSignal = (typeof ENDING_SIGNALS)[number];

/** Everything around a command: its process, or what stands for one in a test. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<string | Uint8Array>;
  /** Results, and nothing else. */
  readonly stdout: Output;
  /** Everything that is said to people. */
  readonly stderr: Output;
  /** Calls back at each signal to end, which then no longer ends the process by itself. Answers how to stop. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
  /** What the client is to use in place of the process's own. */
  readonly client?: Pick<ClientOptions, "fetch" | "clock" | "random">;
}
