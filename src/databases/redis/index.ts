/**
 * Shares a request budget per API key, and a journal, between processes through Redis.
 *
 * @module async-music/redis
 */

export type { RedisClient } from "./client.js";
export { type RedisJournalOptions, redisJournal } from "./redis-journal.js";
export { type RedisPacerOptions, redisPacer } from "./redis-pacer.js";
