import type { Account, ApiKey } from "../core/accounts.js";
import type { Core } from "../core/core.js";
import type { Fault } from "../core/faults.js";
import type { AuditedRequest } from "../core/log/audit.js";
import type { Exchange } from "../core/log/exchanges.js";
import type { StoredTask } from "../core/task.js";
import type { HttpRequest, HttpResponse, Origins } from "./messages.js";

export interface Service {
  readonly core: Core;
  readonly origins: Origins;
  readonly control: (request: HttpRequest) => Promise<HttpResponse>;
  /** Whether the caller chose the mode of the clock. */
  readonly isClockChosen: boolean;
}

/** One request to the service while it is handled. */
export interface Context extends AuditedRequest {
  readonly core: Core;
  readonly request: HttpRequest;
  /** Its `X-Request-Id`: the one that was sent, or a new one. */
  readonly requestId: string;
  /** Its path, without the API key. */
  readonly loggedPath: string;
  readonly fault: Fault | null;
  /** The parsed body of a submission; `undefined` if it is not JSON. */
  readonly json: unknown;
  /** When the request takes effect. Later than `arrivedAt` only if a fault delayed it. */
  now: number;
  /** The valid key that was sent, and its account; `null` without a valid key. */
  caller: Caller | null;
  /** The task that it created. */
  created: StoredTask | null;
  /** The outcome that was set for the created task. */
  outcome: Exchange["outcome"];
  /** How many more requests the key may send in its rate limit window; `null` if that is not known. */
  remaining: number | null;
  /** The parameters in the path, in the order of the route's pattern. */
  params: readonly string[];
}

export interface Caller {
  account: Account;
  key: ApiKey;
}

/** Host names that no network resolves. */
const IN_PROCESS_ORIGINS: Origins = {
  service: "https://api.async-music.test",
  providers: { provider_a: "https://provider-a.test", provider_b: "https://provider-b.test" },
};

export function inProcessOrigins(url: string = IN_PROCESS_ORIGINS.service): Origins {
  return { ...IN_PROCESS_ORIGINS, service: url };
}

export const services = new WeakMap<object, Service>();

/** @throws TypeError unless `createEmulator` made the emulator. */
export function serviceOf(emulator: object): Service {
  const service = services.get(emulator);
  if (service === undefined)
    throw new TypeError("Not an emulator. Pass the object that `createEmulator` returned.");
  return service;
}

export function coreOf(emulator: object): Core {
  return serviceOf(emulator).core;
}
