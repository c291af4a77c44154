/** Draws a number from 0 up to, but not including, 1. */
export type Random = () => number;

/** The system's own source of chance. */
export const systemRandom: Random = () => Math.random();
