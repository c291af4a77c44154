import type { Account, ApiKey } from "../core/accounts.js";
import type { AuditedRequest } from "../core/audit.js";
import type { Core } from "../core/core.js";
import type { Fault } from "../core/faults.js";
import type { HttpRequest, HttpResponse, Origins } from "./messages.js";

export interface Service {
  readonly core: Core;
  readonly origins: Origins;
  readonly control: (request: HttpRequest) => Promise<HttpResponse>;
}

export interface Context extends AuditedRequest {
  readonly core: Core;
  readonly request: HttpRequest;
  readonly fault: Fault | null;
  /** The parsed body of a submission; `undefined` if it is not JSON. */
  readonly json: unknown;
  /** The one time at which the request takes effect: after a delay, later than it arrived. */
  now: number;
  /** Owner of the valid key that was sent; `null` without one. */
  caller: Caller | null;
  /** What the key has left in its rate limit window; `null` if that is not known. */
  remaining: number | null;
  params: readonly string[];
}

export interface Caller {
  account: Account;
  key: ApiKey;
}

/** Names that no network can resolve. */
const IN_PROCESS_ORIGINS: Origins = {
  service: "https://api.async-music.test",
  providers: { provider_a: "https://provider-a.test", provider_b: "https://provider-b.test" },
};

export function inProcessOrigins(url: string = IN_PROCESS_ORIGINS.service): Origins {
  return { ...IN_PROCESS_ORIGINS, service: url };
}

/** The service behind each emulator. */
export const services = new WeakMap<object, Service>();

/** @throws TypeError unless `createEmulator` made the emulator. */
export function serviceOf(emulator: object): Service {
  const service = services.get(emulator);
  if (service === undefined) throw new TypeError("Expected an emulator that `createEmulator` made");
  return service;
}

export function coreOf(emulator: object): Core {
  return serviceOf(emulator).core;
}
