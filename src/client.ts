import { Account } from "./account/account.js";
import { Audio } from "./audio/audio.js";
import { type ClientOptions, checkClientOptions } from "./client-options.js";
import { createMemoryPacer } from "./pacer/memory-pacer.js";
import { Tasks } from "./tasks/tasks.js";
import { createRedactor } from "./transport/redactor.js";
import { createTransport } from "./transport/transport.js";

/**
 * A client of the Asynchronous Music and Audio Generation Service. One client for one API key: its requests share one
 * budget, so that the key is never limited.
 *
 * @throws {@link InvalidOptionError} an option is missing or out of range, or this is a browser
 *
 * @example
 * ```ts
 * import { AsyncMusic } from "async-music";
 *
 * const client = new AsyncMusic({ apiKey, baseUrl });
 * const { available } = await client.account.balance();
 * ```
 */
export class AsyncMusic {
  /** Tasks: create, retrieve, wait, watch, run. */
  readonly tasks: Tasks;
  /** Balance and usage. */
  readonly account: Account;
  /** Downloads. */
  readonly audio: Audio;
  /** The service address. */
  readonly baseUrl: string;

  constructor(options: ClientOptions = {}) {
    const { apiKey, validateRequests, ...checked } = checkClientOptions(options);
    const transport = createTransport({
      ...checked,
      apiKey,
      pacer: createMemoryPacer(checked.clock),
      redactor: createRedactor(apiKey),
    });
    this.baseUrl = checked.baseUrl;
    this.tasks = new Tasks(transport, validateRequests);
    this.account = new Account(transport);
    this.audio = new Audio(transport);
  }
}
