/**
 * Shares a request budget per API key, a journal, and the budgets of customers between processes through Redis.
 *
 * @module async-music/redis
 */

export type { RedisClient } from "./client.js";
export { type RedisBudgetOptions, redisBudget } from "./redis-budget.js";
export { type RedisJournalOptions, redisJournal } from "./redis-journal.js";
export { type RedisPacerOptions, redisPacer } from "./redis-pacer.js";
