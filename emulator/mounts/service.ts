import type { World } from "../state/world.js";

/** What a mount gets of an emulator. */
export interface Service {
  readonly world: World;
  /** Whether the emulator was disposed of. */
  readonly isClosed: () => boolean;
  /** Resolves when the emulator is disposed of. */
  readonly closed: Promise<void>;
}

const services = new WeakMap<object, Service>();

/** Lets mounts reach what an emulator is made of, which its public face does not show. */
export function registerService(emulator: object, service: Service): void {
  services.set(emulator, service);
}

/** @throws TypeError for what `createEmulator` did not make. */
export function serviceOf(emulator: object): Service {
  const service = services.get(emulator);
  if (service === undefined) throw new TypeError("Expected an emulator that `createEmulator` made");
  return service;
}
