import type { Model } from "../../../src/contract/service.js";
import type { Fault } from "../faults.js";
import type { CheckedOutcome } from "../providers.js";
import { type LoggedRequest, REMEMBERED_REQUESTS } from "./request-log.js";

/** The default of the option `exchangeBytes`: 16 MiB, about 4,000 reads of a finished song. */
export const EXCHANGE_BYTES = 16 * 2 ** 20;

/** What headers and objects take, roughly, for each exchange. */
const OVERHEAD_BYTES = 1024;

/** A logged request with everything that explains it. It is not part of a snapshot. */
export interface Exchange {
  /** Numbered from 1, in the order of the log; 0 before it is added. A replaced state begins again. */
  number: number;
  readonly request: LoggedRequest;
  /** Where it was sent. */
  readonly sentTo: "service" | Model;
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
  readonly outcome: CheckedOutcome | null;
  /** Sent from the dashboard: the audit ignores it. */
  readonly isManual: boolean;
  /** Headers and bodies; `null` once newer ones have taken their bytes. */
  messages: Messages | null;
}

interface Messages {
  readonly requestHeaders: Pick<Headers, "get" | "entries">;
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
  readonly limit: number;
  /** Of the last requests in the log; those that were restored from a snapshot have none. */
  #exchanges: Exchange[] = [];
  #latest = 0;
  /** The number of the oldest exchange that still has its messages. */
  #oldestComplete = 1;
  #bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Numbers the exchange, and keeps the object itself: a copy, or one more property, would cost more than all else here. */
  add(exchange: Exchange): void {
    exchange.number = ++this.#latest;
    this.#exchanges.push(exchange);
    this.#bytes += bytesOfMessages(exchange);
    if (this.#exchanges.length > 2 * REMEMBERED_REQUESTS) {
      for (const dropped of this.#exchanges.slice(0, -REMEMBERED_REQUESTS))
        this.#bytes -= bytesOfMessages(dropped);
      this.#exchanges = this.#exchanges.slice(-REMEMBERED_REQUESTS);
    }
    while (this.#bytes > this.limit) {
      const oldest = this.find(this.#oldestComplete++);
      if (oldest === undefined) continue;
      this.#bytes -= bytesOfMessages(oldest);
      oldest.messages = null;
    }
  }

  /** The number of the latest exchange; 0 without one. */
  get latest(): number {
    return this.#latest;
  }

  find(number: number): Exchange | undefined {
    return this.before(this.#latest - number);
  }

  /** The exchange of the request in the log that so many others followed. */
  before(others: number): Exchange | undefined {
    return this.#exchanges[this.#exchanges.length - 1 - others];
  }

  /** All of them, oldest first. */
  all(): readonly Exchange[] {
    return this.#exchanges;
  }
}

function bytesOfMessages({ messages }: Exchange): number {
  if (messages === null) return 0;
  const { requestBody, response } = messages;
  const sent = ArrayBuffer.isView(requestBody) ? requestBody.byteLength : 0;
  const received = typeof response?.body === "string" ? response.body.length : 0;
  return OVERHEAD_BYTES + sent + received;
}
