/** How many later versions of the service each reader meets. `npm run future` sets 10,000. */
const FUTURES = Number(process.env["FUTURES"] ?? 40);

/** Versions of one test. */
export const SHARE = Math.min(FUTURES, 100);

/** The first version of each test. */
export const shares = Array.from({ length: Math.ceil(FUTURES / SHARE) }, (_, index) => 1 + index * SHARE);

export const seedsFrom = (first: number) => Array.from({ length: SHARE }, (_, index) => first + index);
