import type { Journal, JournalEntry } from "../../src/journal/journal.js";
import type { Clock } from "../../src/time/clock.js";
import type { Mishap, ProcessPlan } from "./plan.js";
import type { Submissions } from "./submissions.js";

/** The clock, the network and the journal of a process. Each can fail at any step. */
export interface Machine {
  clock: Clock;
  fetch: typeof globalThis.fetch;
  journal: Journal;
  /** Resolves when the process is killed. */
  crashed: Promise<void>;
  isDead(): boolean;
}

/** The state that all machines of a world share. */
export interface Surroundings {
  clock: Clock;
  fetch: typeof globalThis.fetch;
  journal: Journal;
  submissions: Submissions;
  trace(text: string): void;
}

export function createMachine(plan: Pick<ProcessPlan, "name" | "events">, world: Surroundings): Machine {
  let step = 0;
  let isDead = false;
  let skewMs = 0;
  let frozenUntil = 0;
  let die = () => {};
  const crashed = new Promise<void>((resolve) => {
    die = resolve;
  });

  /** One step of the process. Applies its fault, or returns it if the fault concerns one kind of step. */
  const take = async (what: string): Promise<Mishap | undefined> => {
    if (isDead) return never();
    const mishap = plan.events.get(step++);
    if (mishap?.kind === "freeze") frozenUntil = world.clock.now() + mishap.ms;
    if (frozenUntil > world.clock.now()) await world.clock.sleep(frozenUntil - world.clock.now());
    if (isDead) return never();
    if (mishap === undefined) return undefined;
    world.trace(`${plan.name} ${what}: ${JSON.stringify(mishap)}`);
    if (mishap.kind === "crash") {
      isDead = true;
      die();
      return never();
    }
    if (mishap.kind === "clock") skewMs += mishap.ms;
    return mishap;
  };

  const request = async <Value>(what: string, key: string, work: () => Promise<Value>): Promise<Value> => {
    const before = await take(`${what} ${key}`);
    if (before?.kind === "journal" && before.when === "before") throw new Error("the journal is unavailable");
    const value = await work();
    const after = await take(`${what} ${key} is done`);
    if (after?.kind === "journal" && after.when === "after") throw new Error("the journal is unavailable");
    return value;
  };

  return {
    crashed,
    isDead: () => isDead,

    clock: {
      now: () => world.clock.now() + skewMs,
      async sleep(ms, signal) {
        await world.clock.sleep(ms, signal);
        await take("wakes");
      },
    },

    async fetch(input, init) {
      const request = new Request(input, init);
      const what = `${request.method} ${new URL(request.url).pathname}`;
      const mishap = await take(what);
      if (mishap?.kind === "unreachable") {
        throw Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" });
      }
      request.signal.throwIfAborted();
      const submission = request.method === "POST" ? await world.submissions.leave(plan.name, request) : null;
      // Without the signal: a request in flight continues after its caller has stopped waiting.
      const { method, headers, url } = request;
      const pending = world.fetch(url, submission?.content ?? { method, headers });
      pending.catch(() => {});
      await take(`${what} is sent`);
      const response = await Promise.race([pending, left(request.signal)]).catch(async (error: unknown) => {
        await take(`${what} has failed`);
        throw error;
      });
      await take(`${what} returns ${response.status}`);
      // An aborted caller gets no response.
      if (!request.signal.aborted) await submission?.arrive(response.clone());
      return response;
    },

    journal: {
      get: (key) => request("get", key, () => world.journal.get(key)),
      put: (key, entry, previous) =>
        request(`put ${entry.state}`, key, () => put(world, key, entry, previous)),
      delete: (key, revision) => request("delete", key, () => world.journal.delete(key, revision)),
    },
  };
}

function put({ journal, trace }: Surroundings, key: string, entry: JournalEntry, previous: string | null) {
  trace(`journal ${key}: ${entry.state}`);
  return journal.put(key, entry, previous);
}

/** Rejects when a caller stops waiting. */
function left(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}

/** Never settles: the result of every await in a killed process. */
function never(): Promise<never> {
  return new Promise(() => {});
}
