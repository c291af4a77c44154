import { API_PREFIX } from "../contract/service.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import { checkMaxRetries, checkOptionNames, checkTimeoutMs, shownAmong } from "../http/client.js";
import { environmentVariable, isBrowser } from "../http/fetch.js";
import { createRedactor, type Redactor } from "../http/redactor.js";
import type { Tracer } from "../http/telemetry.js";
import { isLogLevel, LOG_LEVELS, type Logger, type LogLevel } from "../http/telemetry.js";
import type { Pacer, PacerFactory } from "../rate-limit/pacer.js";
import type { Clock } from "../time/clock.js";
import { createSystemClock, type Random, systemRandom } from "../time/clock.js";

/**
 * Options of the client. Each must be an own property of the object: one that is inherited, such as a getter of a class,
 * is refused, and one on `Object.prototype` is ignored.
 */
export interface ClientOptions {
  /** An API key of the account. @defaultValue the environment's `ASYNC_MUSIC_API_KEY` */
  apiKey?: string | undefined;
  /** The service address, without `/api/v1`. @defaultValue the environment's `ASYNC_MUSIC_BASE_URL` */
  baseUrl?: string | undefined;
  /**
   * What sends the requests: called with one `Request`, and in `init` with the signal that ends it. Whoever wraps it looks
   * at the request's `method` and `url` and hands on the same two: a body can be read only once. It must not send a
   * request again by itself.
   *
   * @defaultValue the global `fetch`
   */
  fetch?: typeof globalThis.fetch | undefined;
  /** The time limit of one HTTP attempt, in real milliseconds. @defaultValue 30 000 */
  timeoutMs?: number | undefined;
  /** How often a read, or a create that got 429, is sent again. @defaultValue 2 */
  maxRetries?: number | undefined;
  /**
   * All waiting between the attempts of one call, in milliseconds. A stated wait that does not fit is not shortened:
   * the call fails at once.
   *
   * @defaultValue 120 000
   */
  retryBudgetMs?: number | undefined;
  /** What everything but `timeoutMs` is measured and waited by. @defaultValue the system's clock */
  clock?: Clock | undefined;
  /** The source of jitter and request ids; a seeded one makes a test repeatable. @defaultValue the system's chance */
  random?: Random | undefined;
  /**
   * What decides when each request leaves: `redisPacer` of `async-music/redis` for a fleet, or your own. A function is
   * called with the client's clock and its API key, and answers the pacer.
   *
   * @defaultValue a budget of this client's own
   */
  pacer?: Pacer | PacerFactory | undefined;
  /** Where lines are logged, such as `console`. No line holds the key. @defaultValue nowhere */
  logger?: Logger | undefined;
  /**
   * From which level up lines are logged: attempts and waits for the rate limit at `debug`, changes of tasks at `info`,
   * retries, pauses, misspelled `input` fields and an unencrypted public `baseUrl` at `warn`.
   *
   * @defaultValue "warn"
   */
  logLevel?: LogLevel | undefined;
  /** A tracer of OpenTelemetry (`trace.getTracer(…)`): each call is a span, and none fails of what it throws. @defaultValue none */
  tracer?: Tracer | undefined;
  /** Refuse a request that the interface forbids before anything is sent. @defaultValue true */
  validateRequests?: boolean | undefined;
  /** Allow the client in a browser, where everybody can read the key. @defaultValue false */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The options, checked and complete. */
export interface CheckedClientOptions {
  apiKey: string;
  baseUrl: string;
  fetch: typeof globalThis.fetch | undefined;
  timeoutMs: number;
  maxRetries: number;
  retryBudgetMs: number;
  clock: Clock;
  random: Random;
  pacer: Pacer | undefined;
  logger: Logger | undefined;
  logLevel: LogLevel;
  tracer: Tracer | undefined;
  validateRequests: boolean;
}

const CLIENT_OPTIONS = {
  apiKey: true,
  baseUrl: true,
  fetch: true,
  timeoutMs: true,
  maxRetries: true,
  retryBudgetMs: true,
  clock: true,
  random: true,
  pacer: true,
  logger: true,
  logLevel: true,
  tracer: true,
  validateRequests: true,
  dangerouslyAllowBrowser: true,
} as const satisfies Record<keyof ClientOptions, true>;

export function checkClientOptions(given: ClientOptions): CheckedClientOptions {
  const ownKey = Object.hasOwn(Object(given), "apiKey") ? given.apiKey : undefined;
  const givenKey = ownKey ?? environmentVariable("ASYNC_MUSIC_API_KEY");
  const redactor = redactorOf(givenKey);
  const options = checkOptionNames(given, CLIENT_OPTIONS, redactor);
  if (isBrowser() && options.dangerouslyAllowBrowser !== true) {
    const rule =
      "be true in a browser, where everybody who opens the page can read the API key and spend its credits";
    throw new InvalidOptionError("dangerouslyAllowBrowser", rule);
  }
  const apiKey = checkApiKey(givenKey);
  const clock = checkMethods("clock", options.clock, ["now", "sleep"]) ?? createSystemClock();
  return {
    apiKey,
    baseUrl: checkBaseUrl(options.baseUrl ?? environmentVariable("ASYNC_MUSIC_BASE_URL"), redactor),
    fetch: checkFunction("fetch", options.fetch),
    timeoutMs: checkTimeoutMs(options.timeoutMs ?? 30_000),
    maxRetries: checkMaxRetries(options.maxRetries ?? 2),
    retryBudgetMs: checkRetryBudgetMs(options.retryBudgetMs ?? 120_000),
    clock,
    random: checkFunction("random", options.random) ?? systemRandom,
    pacer: checkPacer(options.pacer, clock, apiKey),
    logger: checkMethods("logger", options.logger, ["debug", "info", "warn", "error"]),
    logLevel: checkLogLevel(options.logLevel ?? "warn", redactor),
    tracer: checkMethods("tracer", options.tracer, ["startActiveSpan"]),
    validateRequests: checkFlag("validateRequests", options.validateRequests ?? true),
  };
}

/** What takes the key out of messages before it is known whether it is one. */
function redactorOf(givenKey: unknown): Redactor {
  return createRedactor(typeof givenKey === "string" ? givenKey.trim() : "");
}

/** The key itself never stands in the message. */
function checkApiKey(value: string | undefined): string {
  if (value === undefined)
    throw new InvalidOptionError("apiKey", "be given, or ASYNC_MUSIC_API_KEY to be set");
  // Where the two have changed places, the error must not be about the address, and show the key.
  if (/^https?:\/\//i.test(value)) throw new InvalidOptionError("apiKey", "be a key, and no address");
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new InvalidOptionError("apiKey", "be a text of visible ASCII characters without spaces");
}

function checkBaseUrl(value: string | undefined, redactor: Redactor): string {
  if (value === undefined)
    throw new InvalidOptionError("baseUrl", "be given, or ASYNC_MUSIC_BASE_URL to be set");
  const url = URL.canParse(value) ? new URL(value) : null;
  const refuse = (rule: string, got?: string): never => {
    throw new InvalidOptionError("baseUrl", rule, got);
  };
  const address = redactor.text(String(value));
  if (url?.username || url?.password) refuse("have no user name and no password");
  if (url === null || !["http:", "https:"].includes(url.protocol))
    return refuse("be an http or https address", address);
  if (url.search || url.hash) refuse("have neither a query nor a fragment", address);
  // The client shows its address, and so does every server on the way.
  if (redactor.isGivenAway(url.pathname)) refuse("not hold the API key");

  const base = `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
  if (base.endsWith(API_PREFIX)) refuse(`end before ${API_PREFIX}, which the client adds`, address);
  return base;
}

function checkRetryBudgetMs(value: number): number {
  if (typeof value === "number" && value >= 0) return value;
  throw new InvalidOptionError("retryBudgetMs", "be 0 milliseconds or more", shown(value));
}

function checkPacer(given: ClientOptions["pacer"], clock: Clock, apiKey: string): Pacer | undefined {
  if (given === undefined) return undefined;
  const pacer = typeof given === "function" ? given(clock, apiKey) : given;
  // What answers nothing is no pacer.
  return checkMethods("pacer", Object(pacer), ["admit", "report", "learn", "rateLimit"]);
}

function checkMethods<Value extends object>(
  option: string,
  value: Value | undefined,
  methods: readonly (keyof Value & string)[],
): Value | undefined {
  if (value === undefined || methods.every((name) => typeof value?.[name] === "function")) return value;
  throw new InvalidOptionError(option, `have the methods ${methods.join(", ")}`);
}

function checkLogLevel(value: LogLevel, redactor: Redactor): LogLevel {
  if (isLogLevel(value)) return value;
  const got = shownAmong(value, LOG_LEVELS, redactor);
  throw new InvalidOptionError("logLevel", "be debug, info, warn, error or off", got);
}

function checkFunction<Value>(option: string, value: Value | undefined): Value | undefined {
  if (value === undefined || typeof value === "function") return value;
  throw new InvalidOptionError(option, "be a function", shown(value));
}

function checkFlag(option: string, value: boolean): boolean {
  if (typeof value === "boolean") return value;
  throw new InvalidOptionError(option, "be true or false", shown(value));
}
