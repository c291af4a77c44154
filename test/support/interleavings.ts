import { AsyncMusic, type ClientOptions, type Clock } from "async-music";
import { createEmulator, type Emulator, type EmulatorOptions } from "async-music/emulator";
import fc from "fast-check";

/** Mostly none or equal, so that operations meet; some are longer than a poll interval. In milliseconds. */
const DELAYS_MS = [0, 0, 0, 1, 1, 20, 150, 700, 1500, 4000] as const;

/** A request arrives soon: the service counts it then, and a client can't know about a request that is still under way. */
const ARRIVALS_MS = [0, 0, 1, 20] as const;

/** A scenario that takes longer is stuck, in real milliseconds. */
const STUCK_MS = 20_000;

/** A world of two to four actors on one virtual clock, in which each wrapped operation takes a generated time. */
export interface Stage {
  emulator: Emulator;
  clock: Clock;
  /** One of these values. */
  pick<Value>(...values: readonly [Value, ...Value[]]): Value;
  /** Sleeps for a generated time, up to 4 s. Rejects with the signal's reason if it is aborted first. */
  delay(signal?: AbortSignal | null): Promise<void>;
  /** A signal that may be aborted at some time within these milliseconds. */
  mayAbort(withinMs: number): { signal: AbortSignal; reason: Error };
  /** A client of the emulator. Its responses come late, and in another order; a request that is aborted before its arrival is dropped. */
  client(options?: ClientOptions): AsyncMusic;
  /** The same object, with these methods delayed before and after their effect, for up to so many milliseconds each. */
  slowly<Target extends object>(
    target: Target,
    methods: readonly (keyof Target)[],
    longestMs?: number,
  ): Target;
  /**
   * As `slowly`, but some calls fail: without an effect, after it, or with an effect that comes later. At most `failures` of them.
   */
  lossy<Target extends object>(target: Target, methods: readonly (keyof Target)[], failures: number): Target;
  /** Begins the work of two to four actors, each after a delay of its own. Resolves when all have ended. */
  actors<Result>(work: (actor: number) => Promise<Result>): Promise<PromiseSettledResult<Result>[]>;
}

/**
 * Runs a scenario with many generated interleavings. A failure prints the seed and the path, with which `fc.assert` repeats it.
 * A scenario that gets stuck fails.
 */
export async function interleave(
  scenario: (stage: Stage) => Promise<void>,
  { runs = 30, ...options }: EmulatorOptions & { runs?: number } = {},
): Promise<void> {
  const property = fc.asyncProperty(fc.gen(), async (generate) => {
    await using emulator = createEmulator({ seed: 1, credits: 100_000, ...options });
    await scenario(createStage(emulator, generate));
  });
  await fc.assert(property, { numRuns: runs, timeout: STUCK_MS, endOnFailure: true });
}

function createStage(emulator: Emulator, generate: fc.GeneratorValue): Stage {
  const { clock } = emulator;
  const pick: Stage["pick"] = (...values) => generate(fc.constantFrom, ...values) as (typeof values)[0];
  const sleep = async (ms: number, signal?: AbortSignal | null) => {
    if (ms > 0) await clock.sleep(ms, signal ?? undefined);
    signal?.throwIfAborted();
  };
  const delay: Stage["delay"] = (signal) => sleep(pick(...DELAYS_MS), signal);

  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    await sleep(pick(...ARRIVALS_MS), request.signal);
    const response = await emulator.fetch(request);
    await delay(request.signal);
    return response;
  };

  return {
    emulator,
    clock,
    pick,
    delay,
    mayAbort(withinMs) {
      const controller = new AbortController();
      const reason = new Error("a generated abort");
      const afterMs = pick<number | null>(null, null, 0, 1, withinMs / 10, withinMs / 3, withinMs);
      const abort = () => controller.abort(reason);
      // The scenario may end before.
      if (afterMs !== null) clock.sleep(afterMs).then(abort, () => {});
      return { signal: controller.signal, reason };
    },
    client: (clientOptions = {}) => new AsyncMusic({ ...emulator.connection(), fetch, ...clientOptions }),
    slowly: (target, methods, longestMs = Number.POSITIVE_INFINITY) =>
      withMethods(target, methods, async (call) => {
        await sleep(Math.min(longestMs, pick(...DELAYS_MS)));
        const result = await call();
        await sleep(Math.min(longestMs, pick(...DELAYS_MS)));
        return result;
      }),
    lossy(target, methods, failures) {
      let left = failures;
      return withMethods(target, methods, async (call) => {
        await delay();
        const end = left > 0 ? pick("works", "works", "lost", "lost reply", "late") : "works";
        if (end !== "works") left--;
        if (end === "late") void delay().then(call);
        const result = end === "works" || end === "lost reply" ? await call() : undefined;
        await delay();
        if (end !== "works") throw new Error(`a generated failure: ${end}`);
        return result;
      });
    },
    actors(work) {
      const many = pick(2, 3, 4);
      const begin = async (actor: number) => {
        await delay();
        return work(actor);
      };
      return Promise.allSettled(Array.from({ length: many }, (_, actor) => begin(actor)));
    },
  };
}

/** A copy with these methods replaced. */
function withMethods<Target extends object>(
  target: Target,
  names: readonly (keyof Target)[],
  replace: (call: () => Promise<unknown>) => Promise<unknown>,
): Target {
  const copy = { ...target };
  for (const name of names) {
    const method: unknown = target[name];
    if (typeof method !== "function") throw new Error(`${String(name)} is no method.`);
    const replaced = (...given: unknown[]) => replace(async () => method.apply(target, given));
    Object.assign(copy, { [name]: replaced });
  }
  return copy;
}
