import type { StoredAccount } from "../core/accounts.js";
import { type Core, isRequestOf } from "../core/core.js";
import type { LoggedRequest, LogReader } from "../core/log/request-log.js";
import type { HttpResponse } from "../http/messages.js";

/** A chunk has at most this many events, and ends after about this many characters. All readers share the log. */
const MOST_CHUNK_EVENTS = 100;
const MOST_CHUNK_LENGTH = 32 * 1024;

/** An empty comment, since some proxies forward a response only from its first byte on. */
const EMPTY_COMMENT = ":\n\n";

const encoder = new TextEncoder();

/** What the events say of a request, and how many later ones the log has. */
type ToJson = (request: LoggedRequest, later: number) => unknown;

/**
 * The request log as server-sent events, past requests first unless `from` is the end. A slow reader needs no memory except for its position in the
 * log. The stream ends when it is canceled, when the log drops an entry that is not sent yet, when the state is replaced
 * before the old log is sent, and when the emulator is disposed.
 *
 * @param account - sends only its requests; `null` for those of all accounts
 */
export function streamRequests(
  core: Core,
  account: StoredAccount | null,
  toJson: ToJson = (request) => request,
  from: "beginning" | "end" = "beginning",
): HttpResponse {
  const source = new RequestSource(core, account, toJson, from);
  const stream = new ReadableStream(source, { highWaterMark: 1 });
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
  return { status: 200, headers, body: "", stream, errorCode: null };
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

class RequestSource implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #core: Core;
  readonly #account: StoredAccount | null;
  readonly #toJson: ToJson;
  #log: readonly LoggedRequest[];
  #length: number;
  #position: number;
  #isPulled = false;
  #unsubscribe = () => {};

  constructor(core: Core, account: StoredAccount | null, toJson: ToJson, from: "beginning" | "end") {
    this.#core = core;
    this.#account = account;
    this.#toJson = toJson;
    this.#log = core.state.requests;
    this.#length = this.#log.length;
    this.#position = from === "end" ? this.#length : 0;
  }

  start(controller: Controller): void {
    const { logReaders, closeListeners } = this.#core;
    const end = () => {
      this.#unsubscribe();
      controller.close();
    };
    const read: LogReader = (_request, log) => {
      if (!this.#follow(log)) end();
      else if (this.#isPulled) this.#send(controller);
    };
    logReaders.add(read);
    closeListeners.add(end);
    this.#unsubscribe = () => {
      logReaders.delete(read);
      closeListeners.delete(end);
    };
    if (this.#position === this.#length || this.#account !== null)
      controller.enqueue(encoder.encode(EMPTY_COMMENT));
  }

  pull(controller: Controller): void {
    this.#isPulled = true;
    if (this.#position < this.#length) this.#send(controller);
  }

  cancel(): void {
    this.#unsubscribe();
  }

  /** Returns whether every entry that is not sent yet is still in the log, which has a new entry. */
  #follow(log: readonly LoggedRequest[]): boolean {
    if (log === this.#log) {
      // The log may have dropped its oldest entries.
      this.#position -= this.#length + 1 - log.length;
    } else {
      if (this.#position < this.#length) return false;
      this.#log = log;
      this.#position = log.length - 1;
    }
    this.#length = log.length;
    return this.#position >= 0;
  }

  #send(controller: Controller): void {
    let events = 0;
    let text = "";
    while (this.#position < this.#length && events < MOST_CHUNK_EVENTS && text.length < MOST_CHUNK_LENGTH) {
      const request = this.#log[this.#position++];
      if (request === undefined || !isRequestOf(this.#core, this.#account, request)) continue;
      text += `data: ${JSON.stringify(this.#toJson(request, this.#length - this.#position))}\n\n`;
      events++;
    }
    this.#isPulled = text === "";
    if (!this.#isPulled) controller.enqueue(encoder.encode(text));
  }
}
