import type { World } from "../state/world.js";

const worlds = new WeakMap<object, World>();

/** Lets mounts reach what an emulator is made of, which its public face does not show. */
export function registerWorld(emulator: object, world: World): void {
  worlds.set(emulator, world);
}

/** @throws TypeError for what `createEmulator` did not make. */
export function worldOf(emulator: object): World {
  const world = worlds.get(emulator);
  if (world === undefined) throw new TypeError("Expected an emulator that `createEmulator` made");
  return world;
}
