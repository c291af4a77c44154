import type { Fetch } from "./contract/fetch.js";
import { API_PREFIX } from "./contract/service.js";
import { invalidOption, wrongValue } from "./errors/base.js";
import { environmentVariable } from "./errors/environment.js";
import {
  callbackRule,
  checkOption,
  checkOptions,
  flagRule,
  methodsRule,
  millisecondsRule,
  type OptionRules,
  OWN_CHECK,
  shownAmong,
} from "./errors/options.js";
import { createRedactor, type Redactor } from "./errors/redactor.js";
import { type ApiKey, createKeySource } from "./http/api-key.js";
import { LOG_LEVELS, type Logger, type LogLevel } from "./http/logging.js";
import { isBrowser } from "./http/platform.js";
import { REQUEST_OPTIONS } from "./http/request-options.js";
import type { Tracer } from "./http/tracing.js";
import { USUAL_TIMEOUT_MS } from "./journal/in-flight.js";
import type { Pacer, PacerFactory } from "./rate-limit/pacer.js";
import { type Clock, createSystemClock } from "./time/clock.js";
import { type Random, systemRandom } from "./time/random.js";

/**
 * Options of the client. Each must be an own property of the object: one that is inherited, such as a getter of a class,
 * is refused, and one on `Object.prototype` is ignored.
 */
export interface ClientOptions {
  /**
   * An API key of the account, or a function that returns the current key, such as one that reads a secret store. The function is
   * called before each attempt, and may be asynchronous: cache the key there. If it throws, or does not return within
   * `timeoutMs`, nothing is sent, and a read is tried again as after a failed connection. A read that gets 401 is sent once
   * more if the function returns another key by then; a POST never is. The SDK redacts the last 32 keys from everything it
   * shows.
   *
   * @defaultValue the environment's `ASYNC_MUSIC_API_KEY`
   */
  apiKey?: ApiKey | undefined;
  /** The service address, without `/api/v1`. @defaultValue the environment's `ASYNC_MUSIC_BASE_URL` */
  baseUrl?: string | undefined;
  /**
   * A custom `fetch`. It receives one `Request`, and an `init` with the signal that aborts it. Its parameters are those of the global
   * `fetch`: narrow `input` to read `method` and `url`. A wrapper must pass both arguments on unchanged, since a body can be read
   * only once. It must not retry. If it sends other requests, for example to a metrics server, it must catch their errors: an
   * error such as "connection refused" means that the POST was not sent, so that the order can be sent again, and charged twice.
   *
   * @defaultValue the global `fetch`
   *
   * @example
   * ```ts
   * const client = new AsyncMusic({
   *   fetch(input, init) {
   *     if (input instanceof Request) console.log(input.method, input.url);
   *     return fetch(input, init);
   *   },
   * });
   * await client.account.balance();
   * ```
   */
  fetch?: Fetch | undefined;
  /** The time limit of one HTTP attempt, in real milliseconds: above 0, at most 2 147 483 647. @defaultValue 30 000 */
  timeoutMs?: number | undefined;
  /** How often a read, or a create that got 429, is sent again: 0 or more. @defaultValue 2 */
  maxRetries?: number | undefined;
  /**
   * All waiting between the attempts of one call, in milliseconds: 0 or more. A stated wait that does not fit is not shortened:
   * the call fails at once.
   *
   * @defaultValue 120 000
   */
  retryBudgetMs?: number | undefined;
  /** The time source of waits and retries. `timeoutMs` runs on real time. @defaultValue the system's clock */
  clock?: Clock | undefined;
  /** The source of jitter and request IDs; a seeded one makes a test repeatable. @defaultValue `Math.random` */
  random?: Random | undefined;
  /**
   * Decides when each request is sent: `redisPacer` of `async-music/redis` for several processes, or your own. A function
   * is called with the client's clock and its API key, and returns the pacer: see `PacerFactory`.
   *
   * @defaultValue a pacer of this client's own
   */
  pacer?: Pacer | PacerFactory | undefined;
  /**
   * Where lines are logged, such as `console`. No line holds the key.
   *
   * @defaultValue nowhere, except for warnings about misspelled and ignored fields, and about orders that `follow` cannot deliver:
   * `console.warn`
   */
  logger?: Logger | undefined;
  /**
   * From which level up lines are logged: attempts and waits for the rate limit at `debug`, changes of tasks at `info`,
   * retries, pauses, misspelled or ignored fields, orders that `follow` cannot deliver and an unencrypted public `baseUrl` at `warn`.
   * A POST with an unknown outcome is logged at `error`, since a person may have to settle it: the service may have created and charged
   * a task. So are a task that the journal could not record, and a journal that fails while `follow` reads it.
   *
   * @defaultValue "warn"
   */
  logLevel?: LogLevel | undefined;
  /** A tracer of OpenTelemetry (`trace.getTracer(…)`): each call is a span. Errors of the tracer are ignored. @defaultValue none */
  tracer?: Tracer | undefined;
  /** Refuse a request that the interface forbids before anything is sent. @defaultValue true */
  validateRequests?: boolean | undefined;
  /** Allow the client in a browser, where anyone can read the key. @defaultValue false */
  dangerouslyAllowBrowser?: boolean | undefined;
}

const CLIENT_OPTIONS: OptionRules<ClientOptions> = {
  apiKey: OWN_CHECK,
  baseUrl: OWN_CHECK,
  fetch: callbackRule,
  timeoutMs: REQUEST_OPTIONS.timeoutMs,
  maxRetries: REQUEST_OPTIONS.maxRetries,
  retryBudgetMs: millisecondsRule(0),
  clock: methodsRule("now", "sleep"),
  random: callbackRule,
  pacer: OWN_CHECK,
  logger: methodsRule("debug", "info", "warn", "error"),
  logLevel: OWN_CHECK,
  tracer: methodsRule("startActiveSpan"),
  validateRequests: flagRule,
  dangerouslyAllowBrowser: OWN_CHECK,
};

const pacerRule = methodsRule("admit", "report", "learn", "rateLimit");

/** The beginning of the keys of emulators, which are worth nothing: they may be used in a browser. */
const EMULATOR_KEY_PREFIX = "emu_";

export function checkClientOptions(given: ClientOptions) {
  const ownKey = Object.hasOwn(Object(given), "apiKey") ? given.apiKey : undefined;
  const givenKey = ownKey ?? environmentVariable("ASYNC_MUSIC_API_KEY");
  // Takes the key out of messages before it is known whether it is one.
  const redactor = createRedactor(typeof givenKey === "string" ? givenKey.trim() : "");
  const options = checkOptions(given, CLIENT_OPTIONS, redactor);
  const isEmulators = typeof givenKey === "string" && givenKey.trim().startsWith(EMULATOR_KEY_PREFIX);
  if (isBrowser() && options.dangerouslyAllowBrowser !== true && !isEmulators) {
    throw invalidOption(
      "dangerouslyAllowBrowser",
      "This is a browser, where every visitor can read the API key and spend its credits",
      "Call the service from your server, or pass `dangerouslyAllowBrowser: true`. In a test environment such as jsdom or " +
        "happy-dom, pass the API key of an emulator, or use the environment `node`.",
    );
  }
  const { apiKey, current } = createKeySource(givenKey, redactor);
  const { clock = createSystemClock(), logLevel = "warn", pacer } = options;
  if (!LOG_LEVELS.includes(logLevel)) {
    const got = shownAmong(logLevel, LOG_LEVELS, redactor);
    throw wrongValue("logLevel", "be debug, info, warn, error or off", got);
  }
  const ownPacer =
    typeof pacer === "function" ? pacer(clock, typeof apiKey === "string" ? apiKey : "", current) : pacer;
  if (pacer !== undefined) checkOption("pacer", pacerRule, ownPacer);
  return {
    redactor,
    apiKey,
    baseUrl: checkBaseUrl(options.baseUrl ?? environmentVariable("ASYNC_MUSIC_BASE_URL"), redactor),
    fetch: options.fetch,
    timeoutMs: options.timeoutMs ?? USUAL_TIMEOUT_MS,
    maxRetries: options.maxRetries ?? 2,
    retryBudgetMs: options.retryBudgetMs ?? 120_000,
    clock,
    random: options.random ?? systemRandom,
    pacer: ownPacer,
    logger: options.logger,
    logLevel,
    tracer: options.tracer,
    validateRequests: options.validateRequests ?? true,
  };
}

function checkBaseUrl(value: string | undefined, redactor: Redactor): string {
  const refuse = (rule: string, got?: string): never => {
    throw wrongValue("baseUrl", rule, got);
  };
  if (value === undefined) {
    const advice = "Pass `baseUrl` or set ASYNC_MUSIC_BASE_URL.";
    throw invalidOption("baseUrl", "Missing service address", advice);
  }
  const url = URL.canParse(value) ? new URL(value) : null;
  const address = JSON.stringify(redactor.text(String(value)));
  if (url?.username || url?.password) refuse("not contain a user name or a password");
  if (url === null || !["http:", "https:"].includes(url.protocol))
    return refuse("be an http or https address", address);
  if (url.search || url.hash) refuse("not contain a query or a fragment", address);
  // The client shows its address, and so does every server on the way.
  if (redactor.containsKey(url.pathname)) refuse("not contain the API key");

  const base = `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
  if (base.endsWith(API_PREFIX)) refuse(`not end with ${API_PREFIX}, which the client adds`, address);
  return base;
}
