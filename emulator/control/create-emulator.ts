import * as z from "zod/mini";
import { API_PREFIX, MODELS } from "../../src/contract/service.js";
import { nearestName } from "../../src/contract/text.js";
import { type Account, EMULATOR_KEY, KEY_RULE } from "../core/accounts.js";
import {
  checkOptionNames,
  invalidField,
  invalidOption,
  oneOf,
  parseOption,
  wholeNumber,
} from "../core/checks.js";
import {
  type Core,
  createCore,
  isRequestOf,
  requireAccount,
  restoreSnapshot,
  setOwnerKey,
} from "../core/core.js";
import { remainingFaults } from "../core/faults.js";
import { creditsSchema } from "../core/ledger.js";
import { type LogReader, listFindings } from "../core/log/audit.js";
import { invoicePdf } from "../core/payments/payments.js";
import { changePolicy } from "../core/policy.js";
import { changeLimits } from "../core/rate-limit.js";
import { copySeedFile, keepStartTime } from "../core/seed-file/read.js";
import { createInitialState } from "../core/seed-file/state.js";
import { takeSnapshot } from "../core/state.js";
import { createFetch } from "../http/fetch.js";
import { completeResponse, sentRequestId } from "../http/messages.js";
import { inProcessOrigins, services } from "../http/service.js";
import { taskData } from "../http/task-data.js";
import { createClock } from "../time/clock.js";
import { randomStream, randomUuid } from "../time/random.js";
import { accountMethods, viewAccount } from "./account-methods.js";
import { beginCompliance } from "./compliance.js";
import type { Accounts, Connection, Emulator, EmulatorOptions, Provider, Scope } from "./emulator.js";
import { bind, type MethodContext } from "./method.js";
import { requireTask, resetEmulator, serviceMethods, viewState } from "./service-methods.js";

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
  const checked = checkOptions(options);
  const clock = createClock(checked.clock ?? "virtual");
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

const DISPOSED = "The emulator was disposed. Create a new one.";

function assemble(core: Core, options: EmulatorOptions, closing: AbortController): Emulator {
  const { clock } = core;
  let controlCalls = 0;
  const context: MethodContext = {
    core,
    options,
    origins: inProcessOrigins(options.url),
    isClockChosen: options.clock !== undefined,
    async control(request) {
      const requestId = sentRequestId(request) ?? randomUuid(core.state.seed, "control", controlCalls++);
      // Loaded by the first call, since most emulators are used in process only.
      const { handleControl } = await import("./plane.js");
      return completeResponse(await handleControl(context, request), requestId, request.method);
    },
  };
  const fetch = createFetch(context);
  const clearFaults = bind(context, serviceMethods.clearFaults);

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
    get limits() {
      return core.state.limits;
    },
    fetch,
    clock: clock.clients,
    providers: createProviders(context),
    faults: {
      add: bind(context, serviceMethods.addFault),
      list: (scope) => remainingFaults(core.state.faults, accountIn(core, scope)?.id),
      clear: (scope) => clearFaults(accountIn(core, scope)?.id),
    },
    accounts: createAccounts(context),

    connection(given = {}) {
      const { apiKey = emulator.apiKey } = checkOptionNames(given, ["apiKey"]);
      return {
        baseUrl: emulator.url,
        apiKey,
        fetch,
        clock: emulator.clock,
        random: connectionRandom(core, apiKey),
      };
    },
    changePolicy: (changes, scope) => changePolicy(accountIn(core, scope), core.state, changes),
    changeLimits: (changes, scope) => changeLimits(accountIn(core, scope), core.state, changes),
    state: (scope) => viewState(context, accountIn(core, scope)),
    onRequest(listener, scope) {
      const account = accountIn(core, scope);
      const reader: LogReader = (request) => {
        if (isRequestOf(core, account, request)) listener(request);
      };
      core.logReaders.add(reader);
      return () => void core.logReaders.delete(reader);
    },
    audit: (scope) => listFindings(core.state.audit, accountIn(core, scope)?.id ?? null),
    async when(taskId, status) {
      if (closing.signal.aborted) throw new Error(DISPOSED);
      await core.watchers.watch(requireTask(core, taskId), status);
      return taskData(requireTask(core, taskId), clock.now(), context.origins);
    },
    reset: (changes = {}) => resetEmulator(context, checkOptions(changes, RESET_OPTIONS)),
    snapshot: () => takeSnapshot(core.state, core.clock.now()),
    restore: (snapshot) => restoreSnapshot(core, snapshot),
    // The snapshot has the API key.
    fork: () =>
      createEmulator({ ...options, apiKey: undefined, snapshot: takeSnapshot(core.state, core.clock.now()) }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      clock.stop();
      core.watchers.rejectAll(DISPOSED);
    },
  };
  services.set(emulator, context);
  beginCompliance(core);
  return emulator;
}

/** A misspelled name throws, also where no types are checked: `providerA` would be `undefined`. */
function createProviders(context: MethodContext): Emulator["providers"] {
  const providers = {
    provider_a: createProvider(context, "provider_a"),
    provider_b: createProvider(context, "provider_b"),
  };
  return new Proxy(providers, {
    get(target, name, receiver) {
      const meant = typeof name === "string" && !(name in target) ? nearestName(name, MODELS) : null;
      if (meant === null) return Reflect.get(target, name, receiver);
      throw new RangeError(
        `Unknown provider \`${String(name).slice(0, 100)}\`. Did you mean \`emulator.providers.${meant}\`?`,
      );
    },
  });
}

function createProvider(context: MethodContext, model: string): Provider {
  const next = bind(context, serviceMethods.nextOutcome);
  const always = bind(context, serviceMethods.lastingOutcome);
  return {
    next: (outcome) => next(model, outcome),
    always: (outcome, scope) => always(model, outcome, accountIn(context.core, scope)?.id),
  };
}

function accountIn(core: Core, scope: Scope = {}): Account | null {
  const { accountId } = checkOptionNames(scope, ["accountId"]);
  return accountId === undefined ? null : requireAccount(core, accountId);
}

/** Other accounts' connections do not change the stream. It also makes request ids, so that no two may be equal. */
function connectionRandom({ state, index }: Core, apiKey: string): Connection["random"] {
  const account = index.keys.get(apiKey)?.account;
  if (account === undefined || account.id === state.owner.accountId)
    return randomStream(state.seed, "connection", state.counts.connections++);
  account.connections = (account.connections ?? 0) + 1;
  return randomStream(state.seed, "connection", account.id, account.connections);
}

function createAccounts(context: MethodContext): Accounts {
  const { core } = context;
  const create = bind(context, accountMethods.createAccount);
  const payments = bind(context, accountMethods.listPayments);
  const invoices = bind(context, accountMethods.listInvoices);
  return {
    create: (options = {}) => create(checkOptionNames(options, ["credits"])),
    get: (accountId) => viewAccount(core, requireAccount(core, accountId)),
    list: () => core.state.accounts.map((account) => viewAccount(core, account)),
    requests(accountId) {
      const account = requireAccount(core, accountId);
      return core.state.requests.filter((each) => isRequestOf(core, account, each));
    },
    update: bind(context, accountMethods.updateAccount),
    createKey: bind(context, accountMethods.createKey),
    updateKey: bind(context, accountMethods.updateKey),
    deleteKey: bind(context, accountMethods.deleteKey),
    topUp: bind(context, accountMethods.topUp),
    updateTopUp: bind(context, accountMethods.updateTopUp),
    payments: (accountId) => payments(accountId).payments,
    authorize: bind(context, accountMethods.authorize),
    autoTopUp: bind(context, accountMethods.getAutoTopUp),
    setAutoTopUp: bind(context, accountMethods.setAutoTopUp),
    billing: (accountId) => structuredClone(requireAccount(core, accountId).purchases.billing),
    setBilling: bind(context, accountMethods.setBilling),
    invoices: (accountId) => invoices(accountId).invoices,
    invoicePdf: async (accountId, invoiceId) =>
      invoicePdf(requireAccount(core, accountId).purchases, invoiceId),
  };
}

const RESET_OPTIONS = ["seed", "credits", "policy", "limits"] as const;
const EMULATOR_OPTIONS = [
  ...RESET_OPTIONS,
  "clock",
  "apiKey",
  "snapshot",
  "seedFile",
  "url",
  "exchangeBytes",
] as const;

function checkOptions(
  given: EmulatorOptions,
  known: readonly (keyof EmulatorOptions)[] = EMULATOR_OPTIONS,
): EmulatorOptions {
  // With every name as an own property, so that a polluted `Object.prototype` sets none of those that `known` lacks.
  const options = checkOptionNames(checkOptionNames(given, known), EMULATOR_OPTIONS);
  parseOption("", simpleOptionsSchema, options);
  const { apiKey, url, seedFile } = options;
  if (apiKey !== undefined && !EMULATOR_KEY.test(apiKey)) {
    throw invalidField("apiKey", `must ${KEY_RULE}`);
  }
  return {
    ...options,
    ...(url !== undefined && { url: checkUrl(url) }),
    ...(seedFile !== undefined && { seedFile: copySeedFile(seedFile) }),
  };
}

const simpleOptionsSchema = z.object({
  seed: z.optional(z.int("be a whole number")),
  credits: z.optional(creditsSchema),
  clock: z.optional(oneOf("virtual", "real")),
  exchangeBytes: z.optional(wholeNumber(0, 2 ** 31)),
});

/** The path may contain only characters that have no special meaning in MSW's path patterns. */
function checkUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isAddress = url !== null && ["http:", "https:"].includes(url.protocol);
  if (!isAddress) throw invalidOption("url", "be an http or https address", value);
  if (url.username || url.password) throw new RangeError("`url` must have no user name and no password.");
  if (url.search || url.hash || !/^[\w./~%-]*$/.test(url.pathname)) {
    const rule = "have no query, no fragment, and in its path only letters, digits and ./~%_-";
    throw invalidOption("url", rule, value);
  }
  const address = (url.origin + url.pathname).replace(/(?<!\/)\/+$/, "");
  if (address.endsWith(API_PREFIX))
    throw invalidOption("url", `end before ${API_PREFIX}, which clients append`, value);
  if (Object.values(inProcessOrigins().providers).includes(url.origin))
    throw invalidOption("url", "differ from the providers' addresses", value);
  return address;
}
