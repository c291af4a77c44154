import type { Core } from "../core/core.js";
import type { HttpRequest, HttpResponse, Origins } from "./messages.js";

export interface Service {
  readonly core: Core;
  readonly origins: Origins;
  /** Carries out a call of the control plane. `createEmulator` sets it, since the control plane stands above this module. */
  readonly handleControlCall: (request: HttpRequest) => Promise<HttpResponse>;
  /** Whether the caller chose the mode of the clock. */
  readonly isClockChosen: boolean;
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
