import type * as z from "zod/mini";
import type { LoggedRequest } from "./audit.js";
import type { Fault } from "./faults.js";
import type { outcomeSchema } from "./providers.js";

/** The default of the option `exchangeBytes`: 16 MiB, about 4,000 reads of a finished song. */
export const EXCHANGE_BYTES = 16 * 2 ** 20;

/** What headers and objects take, roughly, for each exchange. */
const OVERHEAD_BYTES = 1024;

/** A logged request with everything that explains it. It is not part of a snapshot. */
export interface Exchange {
  /** Numbered from 1, in the order of the log. A replaced state begins again. */
  readonly number: number;
  readonly request: LoggedRequest;
  /** Of the URL. */
  readonly origin: string;
  /** The key that was sent, if it is valid. */
  readonly keyId: string | null;
  /** The task that was created or read. */
  readonly taskId: string | null;
  /** From the arrival to the response, in milliseconds on the emulator's clock. */
  readonly durationMs: number;
  /** `"broken_response"`: the connection broke within the body. */
  readonly ended: "response" | "broken_response" | "disconnect" | "stall";
  /** How many requests the key may still send in its window; `null` where the response does not state it. */
  readonly remaining: number | null;
  /** The fault that fired. */
  readonly fault: Fault | null;
  /** The outcome that was set for the created task. */
  readonly outcome: z.output<typeof outcomeSchema> | null;
  /** Sent from the dashboard: the audit ignores it. */
  readonly isManual: boolean;
  /** Headers and bodies; `null` once newer ones have taken their bytes. */
  messages: Messages | null;
}

interface Messages {
  readonly requestHeaders: readonly (readonly [name: string, value: string])[];
  readonly requestBody: Uint8Array | "too_large" | null;
  /** `null` without a response. */
  readonly response: {
    readonly headers: Readonly<Record<string, string>>;
    /** JSON as a string. Of a file, only its length is kept. */
    readonly body: string | { readonly bytes: number };
  } | null;
}

/** The exchanges of the current log. Their headers and bodies take at most about `limit` bytes: the oldest go first. */
export class Exchanges {
  readonly #limit: number;
  /** Entries of the log that were dropped, or restored from a snapshot, need no entry here. */
  #exchanges = new WeakMap<LoggedRequest, Exchange>();
  /** Those that still have their messages, oldest first. */
  readonly #complete = new Set<Exchange>();
  #bytes = 0;
  #latest = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(exchange: Omit<Exchange, "number">): void {
    const added = { ...exchange, number: ++this.#latest };
    this.#exchanges.set(exchange.request, added);
    this.#bytes += bytesOf(added);
    this.#complete.add(added);
    for (const oldest of this.#complete) {
      if (this.#bytes <= this.#limit) return;
      this.#bytes -= bytesOf(oldest);
      this.#complete.delete(oldest);
      oldest.messages = null;
    }
  }

  of(request: LoggedRequest): Exchange | undefined {
    return this.#exchanges.get(request);
  }

  /** The exchange with a number, of this log. */
  find(number: number, log: readonly LoggedRequest[]): Exchange | undefined {
    // The latest entry of the log has the latest number.
    const request = log[log.length - 1 - (this.#latest - number)];
    return request && this.#exchanges.get(request);
  }

  clear(): void {
    this.#exchanges = new WeakMap();
    this.#complete.clear();
    this.#bytes = 0;
    this.#latest = 0;
  }
}

function bytesOf({ messages }: Exchange): number {
  if (messages === null) return 0;
  const { requestBody, response } = messages;
  const sent = requestBody instanceof Uint8Array ? requestBody.byteLength : 0;
  const received = typeof response?.body === "string" ? response.body.length : 0;
  return OVERHEAD_BYTES + sent + received;
}
