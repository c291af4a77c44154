import {
  type Budget,
  type BudgetOptions,
  checkBudgetOptions,
  madeBudget,
  type ReservingBudget,
} from "./budget/budget.js";
import { BudgetError, notLoaded } from "./errors/base.js";
import { withClockStopped } from "./time/stopped-clock.js";

/**
 * The most that each customer may spend, kept in the memory of this process. A restart forgets what was spent, also with a
 * durable journal. Use it in tests, and in an application that is one process and whose limits may begin anew at a restart.
 * Otherwise use `redisBudget` of `async-music/redis` or `postgresBudget` of `async-music/postgres`: they keep what was spent,
 * and processes share them.
 *
 * @throws `InvalidOptionError` an option is missing or out of range
 *
 * @example
 * ```ts
 * const budget = memoryBudget({ maxCredits: 500, per: "day", timeZone: "Europe/Lisbon" });
 * const song = await client.tasks.run(request, { tenant: "acme", budget });
 * const { spent, reserved, maxCredits, until } = await budget.usage("acme");
 * ```
 */
export function memoryBudget(options: BudgetOptions): Budget {
  const checked = checkBudgetOptions(options);
  let made: ReservingBudget | undefined;
  // Applications without budgets do not load the code.
  const load = async () => {
    if (made !== undefined) return made;
    const { TenantBudget, memoryStore } = await import("./tasks/lazy.js");
    made ??= new TenantBudget(memoryStore(), checked);
    return made;
  };
  const loadFor = (verb: string, tenant: string) =>
    load().catch((cause: unknown) => {
      const what = `Failed to ${verb} credits of tenant ${JSON.stringify(tenant)}`;
      throw new BudgetError(notLoaded(what), { tenant, cause });
    });
  const skip = () => {};
  const budget: ReservingBudget = {
    usage: async (tenant) => (await loadFor("read", tenant)).usage(tenant),
    hold: async (call) => (await withClockStopped(call.clock, loadFor("reserve", call.tenant))).hold(call),
    resume: (...reservation) => load().then((code) => code.resume(...reservation), skip),
    free: (reservation) => load().then((code) => code.free(reservation), skip),
    ended: (...end) => load().then((code) => code.ended(...end), skip),
    // A later run settles what could not be settled.
    hasEnded: (reservation) =>
      load().then(
        (code) => code.hasEnded(reservation),
        () => false,
      ),
  };
  return madeBudget(budget);
}
