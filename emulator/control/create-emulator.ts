import { checkOptionNames } from "../core/checks.js";
import type { LogReader } from "../core/log.js";
import { changePolicy } from "../core/policy.js";
import { changeLimits } from "../core/rate-limit.js";
import { createState } from "../core/state/create-state.js";
import { setOwnerKey } from "../core/state/set-owner-key.js";
import { openSnapshot, takeSnapshot } from "../core/state/snapshot.js";
import { createWorld, replaceState, type World } from "../core/state/world.js";
import { isControlCall } from "../http/exchange.js";
import { createFetchMount } from "../http/fetch-mount.js";
import { type Mounted, registerMounted } from "../http/mounted-world.js";
import { inProcessOrigins } from "../http/origins.js";
import { carryOut } from "../http/pipeline.js";
import { taskData } from "../http/task-data.js";
import type { ServiceClock } from "../time/clock.js";
import { randomStream } from "../time/random.js";
import { createRealClock } from "../time/real-clock.js";
import { createVirtualClock } from "../time/virtual-clock.js";
import { createAccounts } from "./accounts.js";
import type { Emulator } from "./emulator.js";
import { checkOptions, checkResetOptions, type EmulatorOptions } from "./emulator-options.js";
import { viewState } from "./emulator-state.js";
import { createFaults } from "./faults.js";
import { createControlPlane } from "./plane/control-plane.js";
import { createProviders } from "./providers.js";
import { requireTask } from "./require-task.js";

/**
 * A whole service with one account, one key and, unless it is told otherwise, 1000 credits. It needs no network and
 * starts nothing: time passes when somebody waits for it.
 *
 * @throws RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * await using emulator = createEmulator({ seed: 1, credits: 20 });
 * const client = new AsyncMusic(emulator.connection());
 * ```
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const checked = checkOptions(options);
  const clock = checked.clock === "real" ? createRealClock() : createVirtualClock();
  const closing = new AbortController();
  const world = createWorld(createState(checked, checked.apiKey, clock.now()), clock, closing.signal);
  if (checked.snapshot !== undefined) {
    openSnapshot(world, checked.snapshot);
    if (checked.apiKey !== undefined) setOwnerKey(world, checked.apiKey);
  }
  return assemble(world, checked, closing);
}

function assemble(world: World, options: EmulatorOptions, closing: AbortController): Emulator {
  const { clock } = world;
  const origins = inProcessOrigins(options.url);
  const mounted: Mounted = {
    world,
    origins,
    carryOut: (exchange) => (isControlCall(exchange) ? controlPlane(exchange) : carryOut(world, exchange)),
  };
  const answer = createFetchMount(mounted, { origins, onDisconnect: failToFetch });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    // A request that is made anew only for its signal would cost as much as its answer.
    if (input instanceof Request && changesOnlySignal(init)) {
      return answer(input, { signal: init?.signal ?? input.signal });
    }
    const request = new Request(input, init);
    const owner = init?.signal === undefined && input instanceof Request ? input : request;
    // `request.signal` follows the caller's only weakly.
    const signal = owner === input ? owner.signal : (init?.signal ?? undefined);
    return answer(request, { signal, owner, canLeave: signal !== undefined });
  };

  const emulator: Emulator = {
    url: origins.service,
    get apiKey() {
      return world.state.owner.apiKey;
    },
    get accountId() {
      return world.state.owner.accountId;
    },
    get requests() {
      return world.state.requests;
    },
    get policy() {
      return world.state.policy;
    },
    get limits() {
      return world.state.limits;
    },
    fetch,
    clock: publicClock(clock),
    providers: createProviders(world),
    faults: createFaults(world),
    accounts: createAccounts(world),

    connection(options = {}) {
      const { apiKey = emulator.apiKey } = checkOptionNames(options, ["apiKey"]);
      const random = randomStream(world.state.seed, "connection", world.state.counts.connections++);
      return { baseUrl: emulator.url, apiKey, fetch, clock: emulator.clock, random };
    },
    changePolicy(changes) {
      world.state.policy = changePolicy(world.state.policy, changes);
      return world.state.policy;
    },
    changeLimits(changes) {
      world.state.limits = changeLimits(world.state.limits, changes);
      return world.state.limits;
    },
    state: () => viewState(world, emulator.accounts, origins),
    onRequest(listener) {
      const reader: LogReader = (request) => listener(request);
      world.logReaders.add(reader);
      return () => void world.logReaders.delete(reader);
    },
    audit: () => [...world.state.audit.findings],
    async when(taskId, status) {
      if (closing.signal.aborted) throw new Error(`Failed to see a task in \`${status}\`: ${DISPOSED}`);
      await world.watchers.watch(requireTask(world, taskId), status);
      return taskData(requireTask(world, taskId), clock.now(), origins);
    },
    reset(given = {}) {
      const changes = checkResetOptions(given);
      const { seed = options.seed, credits = options.credits } = changes;
      const { policy = options.policy, limits = options.limits } = changes;
      const begins = clock.beginning();
      const state = createState({ seed, credits, policy, limits }, emulator.apiKey, begins);
      replaceState(world, state, begins, "the emulator was reset");
      return { account_id: emulator.accountId, api_key: emulator.apiKey };
    },
    snapshot: () => takeSnapshot(world),
    restore: (snapshot) => openSnapshot(world, snapshot),
    fork: () => createEmulator({ ...options, apiKey: undefined, snapshot: takeSnapshot(world) }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      clock.stop();
      world.watchers.close(DISPOSED);
    },
  };
  const controlPlane = createControlPlane(emulator, world);
  registerMounted(emulator, mounted);
  return emulator;
}

const DISPOSED = "the emulator was disposed of";

/** Clients see the time and wait on it; what else the clock can do is the emulator's. */
function publicClock({ mode, now, sleep, advance }: ServiceClock): Emulator["clock"] {
  return { mode, now, sleep, advance };
}

function failToFetch(): never {
  throw new TypeError("fetch failed", {
    cause: new Error("The connection broke, or there is nobody at this address"),
  });
}

/** Of what is no plain object, such as another request, not everything is seen. */
function changesOnlySignal(init: RequestInit | undefined): boolean {
  const changes = init ?? {};
  const isPlain = Object.getPrototypeOf(changes) === Object.prototype;
  return isPlain && Object.keys(changes).every((name) => name === "signal") && changes.signal !== null;
}
