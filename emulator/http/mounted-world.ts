import type { World } from "../core/state/world.js";
import type { Delivery, Exchange } from "./exchange.js";
import type { Origins } from "./origins.js";

/** What a mount has of an emulator, whose public face does not show it. */
export interface Mounted {
  readonly world: World;
  /** The addresses at which it is reached in this process. */
  readonly origins: Origins;
  /** One exchange from its arrival to its end, with the service or with the control plane. */
  readonly carryOut: (exchange: Exchange) => Promise<Delivery>;
}

const emulators = new WeakMap<object, Mounted>();

/** Lets mounts reach an emulator. */
export function registerMounted(emulator: object, mounted: Mounted): void {
  emulators.set(emulator, mounted);
}

/** @throws TypeError for what `createEmulator` did not make. */
export function mountedOf(emulator: object): Mounted {
  const mounted = emulators.get(emulator);
  if (mounted === undefined) throw new TypeError("Expected an emulator that `createEmulator` made");
  return mounted;
}

/** @throws TypeError for what `createEmulator` did not make. */
export function worldOf(emulator: object): World {
  return mountedOf(emulator).world;
}
