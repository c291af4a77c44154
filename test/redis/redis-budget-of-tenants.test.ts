import { redisBudget, redisJournal } from "async-music/redis";
import { describe } from "vitest";
import { describeBudget } from "../support/describe-budget.js";
import { clients } from "./connections.js";

let places = 0;

describe.each(clients)("with %s", (_, connect) => {
  describe.each(["one client", "a client for each"])("with %s", (which) => {
    describeBudget(async () => {
      const prefix = `tenants-${process.pid}-${places++}`;
      const redis = await connect();
      const other = which === "one client" ? redis : await connect();
      return {
        budget: (options) => redisBudget(redis, { ...options, prefix }),
        journal: () => redisJournal(other, { prefix }),
      };
    });
  });
});
