/**
 * What a fleet of processes shares through Redis: one budget for each API key, and the journal.
 *
 * @module async-music/redis
 */

export type { RedisClient } from "./client.js";
export { type RedisJournalOptions, redisJournal } from "./redis-journal.js";
export { type RedisPacerOptions, redisPacer } from "./redis-pacer.js";
