/** How many later versions of the service each reader meets, and the first one. `npm run future` sets 10,000. */
const FUTURES = Number(process.env["FUTURES"] ?? 24);
const FIRST = Number(process.env["FUTURES_FROM"] ?? 1);

/** Versions of one test. */
export const SHARE = Math.min(FUTURES, 100);

/** The first version of each test. */
export const shares = Array.from({ length: Math.ceil(FUTURES / SHARE) }, (_, index) => FIRST + index * SHARE);

export const seedsFrom = (first: number) => Array.from({ length: SHARE }, (_, index) => first + index);
