/** Returns a random number from 0 up to, but not including, 1. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

/** A new UUID from the system's secure source. */
export const systemUuid = (): string => crypto.randomUUID();
