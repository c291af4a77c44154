import { TASK_STATUSES, type TaskStatus } from "../../src/contract/service.js";
import type { Task } from "../../src/contract/task.js";
import type { StoredAccount } from "../core/accounts.js";
import { checkOptionNames, oneOf, parseOption } from "../core/checks.js";
import { type Core, createCore, isRequestOf, restoreSnapshot, setOwnerKey } from "../core/core.js";
import { listFindings } from "../core/log/audit.js";
import type { LoggedRequest, LogReader } from "../core/log/request-log.js";
import { changePolicy } from "../core/policy.js";
import { changeLimits } from "../core/rate-limit.js";
import { keepStartTime } from "../core/seed-file/read.js";
import { createInitialState } from "../core/seed-file/state.js";
import { takeSnapshot } from "../core/state.js";
import { createFetch } from "../http/fetch.js";
import { completeResponse, sentRequestId } from "../http/messages.js";
import { inProcessOrigins, services } from "../http/service.js";
import { taskData } from "../http/task-data.js";
import { DISPOSED, ServiceClock } from "../time/clock.js";
import { randomStream, randomUuid } from "../time/random.js";
import { beginCompliance } from "./compliance.js";
import type { Connection, Emulator, EmulatorOptions } from "./emulator.js";
import { checkEmulatorOptions, RESET_OPTIONS } from "./emulator-options.js";
import { accountIn, createAccounts, createFaults, createProviders } from "./in-process.js";
import type { MethodContext } from "./method.js";
import { changesOf, requireTask, resetEmulator, viewState } from "./service-methods.js";

/**
 * Creates the whole service with one account, one key and, by default, 1000 credits. It needs no network, and starts
 * neither a timer nor a server.
 *
 * @throws RangeError that names the invalid option.
 *
 * @example
 * ```ts
 * await using emulator = createEmulator({ seed: 1, credits: 20 });
 * const client = new AsyncMusic(emulator.connection());
 * ```
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const checked = checkEmulatorOptions(options);
  const clock = new ServiceClock(checked.clock ?? "virtual");
  const closing = new AbortController();
  const startTime = clock.now();
  const { state, time } = createInitialState(checked, startTime);
  const core = createCore(state, clock, closing.signal, checked.exchangeBytes);
  if (time !== startTime) clock.set(time);
  if (checked.snapshot !== undefined) {
    restoreSnapshot(core, checked.snapshot);
    if (checked.apiKey !== undefined) setOwnerKey(core, checked.apiKey);
  }
  const { seedFile } = checked;
  const kept = seedFile === undefined ? checked : { ...checked, seedFile: keepStartTime(seedFile, time) };
  return assemble(core, kept, closing);
}

function assemble(core: Core, options: EmulatorOptions, closing: AbortController): Emulator {
  const context = createContext(core, options);
  const { clock } = core;
  const fetch = createFetch(context);
  const emulator: Emulator = {
    url: context.origins.service,
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
    get future() {
      return changesOf(core);
    },
    get limits() {
      return core.state.limits;
    },
    fetch,
    clock: clock.clients,
    providers: createProviders(context),
    faults: createFaults(context),
    accounts: createAccounts(context),
    connection(given = {}) {
      const { apiKey = emulator.apiKey } = checkOptionNames(given, ["apiKey"]);
      const random = connectionRandom(core, apiKey);
      return { baseUrl: emulator.url, apiKey, fetch, clock: emulator.clock, random };
    },
    changePolicy: (changes, scope) => changePolicy(accountIn(core, scope), core.state, changes),
    changeLimits: (changes, scope) => changeLimits(accountIn(core, scope), core.state, changes),
    state: (scope) => viewState(context, accountIn(core, scope)),
    onRequest: (listener, scope) => addLogReader(core, listener, accountIn(core, scope)),
    audit: (scope) => listFindings(core.state.audit, accountIn(core, scope)?.id ?? null),
    when: (taskId, status) => taskWithStatus(context, taskId, status),
    reset: (changes = {}) => resetEmulator(context, checkEmulatorOptions(changes, RESET_OPTIONS)),
    snapshot: () => takeSnapshot(core.state, clock.now()),
    restore: (snapshot) => restoreSnapshot(core, snapshot),
    // The snapshot has the API key.
    fork: () => createEmulator({ ...options, apiKey: undefined, snapshot: emulator.snapshot() }),
    [Symbol.asyncDispose]: async () => dispose(core, closing),
  };
  services.set(emulator, context);
  beginCompliance(core);
  return emulator;
}

function createContext(core: Core, options: EmulatorOptions): MethodContext {
  let controlCalls = 0;
  const context: MethodContext = {
    core,
    options,
    origins: inProcessOrigins(options.url),
    isClockChosen: options.clock !== undefined,
    async handleControlCall(request) {
      const requestId = sentRequestId(request) ?? randomUuid(core.state.seed, "control", controlCalls++);
      // Loaded by the first call, since most emulators are used in process only.
      const { handleControl } = await import("./plane.js");
      return completeResponse(await handleControl(context, request), requestId, request.method);
    },
  };
  return context;
}

/** Other accounts' connections do not change the stream. It also makes request IDs, so that no two may be equal. */
function connectionRandom({ state, index }: Core, apiKey: string): Connection["random"] {
  const account = index.keys.get(apiKey)?.account;
  if (account === undefined || account.id === state.owner.accountId)
    return randomStream(state.seed, "connection", state.counts.connections++);
  account.connections = (account.connections ?? 0) + 1;
  return randomStream(state.seed, "connection", account.id, account.connections);
}

function addLogReader(
  core: Core,
  listener: (request: LoggedRequest) => unknown,
  account: StoredAccount | null,
): () => void {
  const reader: LogReader = (request) => {
    if (!isRequestOf(core, account, request)) return;
    try {
      listener(request);
    } catch (error) {
      // As what a listener of an `EventTarget` throws: it is not lost, and the request completes.
      queueMicrotask(() => {
        throw error;
      });
    }
  };
  core.logReaders.add(reader);
  return () => void core.logReaders.delete(reader);
}

const statusSchema = oneOf(...TASK_STATUSES);

async function taskWithStatus(
  { core, origins }: MethodContext,
  taskId: string,
  status: TaskStatus,
): Promise<Task> {
  if (core.closing.aborted) throw new Error(DISPOSED);
  parseOption("status", statusSchema, status);
  await core.watchers.watch(requireTask(core, taskId), status);
  return taskData(requireTask(core, taskId), core.clock.now(), origins);
}

function dispose({ clock, watchers }: Core, closing: AbortController): void {
  closing.abort();
  clock.stop();
  watchers.rejectAll(DISPOSED);
}
