import { checkOptionNames } from "../core/checks.js";
import { type Core, createCore, replaceState, setOwnerKey } from "../core/core.js";
import type { LogReader } from "../core/log.js";
import { changePolicy, defaultPolicy, variedPolicy } from "../core/policy.js";
import { changeLimits, DEFAULT_LIMITS } from "../core/rate-limit.js";
import { openSnapshot, takeSnapshot } from "../core/state/snapshot.js";
import { createState, type State } from "../core/state/state.js";
import { createFetch } from "../http/fetch.js";
import { taskData } from "../http/routes.js";
import { inProcessOrigins, registerService, type Service } from "../http/service.js";
import type { ServiceClock } from "../time/clock.js";
import { createRealClock, createVirtualClock } from "../time/clock.js";
import { randomStream } from "../time/random.js";
import { createAccounts } from "./accounts.js";
import type { Emulator } from "./emulator.js";
import {
  checkOptions,
  checkResetOptions,
  type EmulatorOptions,
  type ResetOptions,
} from "./emulator-options.js";
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
  const core = createCore(newState(checked, checked.apiKey, clock.now()), clock, closing.signal);
  if (checked.snapshot !== undefined) {
    openSnapshot(core, checked.snapshot);
    if (checked.apiKey !== undefined) setOwnerKey(core, checked.apiKey);
  }
  return assemble(core, checked, closing);
}

function newState(options: ResetOptions, apiKey: string | undefined, now: number): State {
  const { seed = 1, credits = 1000, policy = {}, limits = {} } = options;
  const state = {
    seed,
    credits,
    apiKey,
    policy: policy === "vary" ? variedPolicy(seed) : changePolicy(defaultPolicy(), policy),
    limits: changeLimits(DEFAULT_LIMITS, limits),
  };
  return createState(state, now);
}

function assemble(core: Core, options: EmulatorOptions, closing: AbortController): Emulator {
  const { clock } = core;
  const origins = inProcessOrigins(options.url);
  const service: Service = { core, origins, control: (request) => controlPlane(request) };
  const fetch = createFetch(service);

  const emulator: Emulator = {
    url: origins.service,
    get apiKey() {
      return core.state.owner.apiKey;
    },
    get accountId() {
      return core.state.owner.accountId;
    },
    get requests() {
      return core.state.requests;
    },
    get policy() {
      return core.state.policy;
    },
    get limits() {
      return core.state.limits;
    },
    fetch,
    clock: publicClock(clock),
    providers: createProviders(core),
    faults: createFaults(core),
    accounts: createAccounts(core),

    connection(options = {}) {
      const { apiKey = emulator.apiKey } = checkOptionNames(options, ["apiKey"]);
      const random = randomStream(core.state.seed, "connection", core.state.counts.connections++);
      return { baseUrl: emulator.url, apiKey, fetch, clock: emulator.clock, random };
    },
    changePolicy(changes) {
      core.state.policy = changePolicy(core.state.policy, changes);
      return core.state.policy;
    },
    changeLimits(changes) {
      core.state.limits = changeLimits(core.state.limits, changes);
      return core.state.limits;
    },
    state: () => viewState(core, emulator.accounts, origins),
    onRequest(listener) {
      const reader: LogReader = (request) => listener(request);
      core.logReaders.add(reader);
      return () => void core.logReaders.delete(reader);
    },
    audit: () => [...core.state.audit.findings],
    async when(taskId, status) {
      if (closing.signal.aborted) throw new Error(`Failed to see a task in \`${status}\`: ${DISPOSED}`);
      await core.watchers.watch(requireTask(core, taskId), status);
      return taskData(requireTask(core, taskId), clock.now(), origins);
    },
    reset(given = {}) {
      const changes = checkResetOptions(given);
      const { seed = options.seed, credits = options.credits } = changes;
      const { policy = options.policy, limits = options.limits } = changes;
      const begins = clock.beginning();
      const state = newState({ seed, credits, policy, limits }, emulator.apiKey, begins);
      replaceState(core, state, begins, "the emulator was reset");
      return { account_id: emulator.accountId, api_key: emulator.apiKey };
    },
    snapshot: () => takeSnapshot(core),
    restore: (snapshot) => openSnapshot(core, snapshot),
    fork: () => createEmulator({ ...options, apiKey: undefined, snapshot: takeSnapshot(core) }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      clock.stop();
      core.watchers.close(DISPOSED);
    },
  };
  const controlPlane = createControlPlane(emulator, core);
  registerService(emulator, service);
  return emulator;
}

const DISPOSED = "the emulator was disposed";

/** Clients see the time and wait on it; what else the clock can do is the emulator's. */
function publicClock({ mode, now, sleep, advance }: ServiceClock): Emulator["clock"] {
  return { mode, now, sleep, advance };
}
