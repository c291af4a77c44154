import { getEventListeners } from "node:events";
import { Server } from "node:net";
import { services } from "../../emulator/http/service.js";
import { Sleepers } from "../../emulator/time/sleepers.js";
import { Queue } from "../../src/rate-limit/queue.js";

interface Begun {
  readonly what: string;
  readonly isOpen: () => boolean;
  /** Whether only the test's own are checked. */
  readonly ofTest: boolean;
  readonly at: Error;
}

interface Watch {
  /** What has begun; `null` if nothing is watched. Referenced weakly, since some tests look at what is collected. */
  begun: { objects: WeakRef<object>[]; details: WeakMap<object, Begun> } | null;
  /** How many listeners of the process there were at the beginning. */
  listeners: Map<string | symbol, number>;
}

const KEY = Symbol.for("async-music.lifecycle");
const evaluatedBefore = (globalThis as { [key: symbol]: Watch | undefined })[KEY];

/** One for the process: after `vi.resetModules`, this module is evaluated again, and what it has replaced before is still there. */
const current: Watch = evaluatedBefore ?? { begun: null, listeners: countListeners() };
Object.assign(globalThis, { [KEY]: current });

/** Begins to watch, with nothing begun. */
export function watch(): void {
  current.begun = { objects: [], details: new WeakMap() };
  current.listeners = countListeners();
}

/** For a test of processes that end in the middle of what they do. */
export function unwatch(): void {
  current.begun = null;
}

/** What has begun since `watch` and has not ended, with the code that began it. */
export function leftOpen(): string[] {
  const left: string[] = [];
  const { begun, listeners } = current;
  for (const reference of begun?.objects ?? []) {
    const object = reference.deref();
    const known = object && begun?.details.get(object);
    if (!known?.isOpen()) continue;
    const calls = callsOf(known.at);
    if (known.ofTest && !calls[0]?.getFileName()?.includes("/test/")) continue;
    const [, ...frames] = String(Error.prepareStackTrace?.(known.at, calls)).split("\n");
    left.push([`${known.what}, begun`, ...frames].join("\n"));
  }
  for (const [name, count] of countListeners())
    if (count > (listeners.get(name) ?? 0)) left.push(`a listener of the process for "${String(name)}"`);
  return left;
}

function begin(object: object, what: string, isOpen: () => boolean, { ofTest = false } = {}): void {
  const { begun } = current;
  if (begun === null || begun.details.has(object)) return;
  const { stackTraceLimit } = Error;
  // Of what the test itself begins, its line is enough. Signals are many, and each longer stack takes time.
  Error.stackTraceLimit = ofTest ? 4 : 12;
  begun.details.set(object, { what, isOpen, ofTest, at: new Error(what) });
  Error.stackTraceLimit = stackTraceLimit;
  begun.objects.push(new WeakRef(object));
}

const knownCalls = new WeakMap<Error, NodeJS.CallSite[]>();

/** The last calls before something began, without those of this module. Their text is made only for a failure, since that is slow. */
function callsOf(at: Error): NodeJS.CallSite[] {
  const known = knownCalls.get(at);
  if (known !== undefined) return known;
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, all) => all;
  const all = at.stack as unknown as NodeJS.CallSite[];
  Error.prepareStackTrace = prepareStackTrace;
  const others = all.filter((call) => !call.getFileName()?.includes("/test/lifecycle/begun.ts")).slice(0, 6);
  knownCalls.set(at, others);
  return others;
}

function countListeners() {
  // The commands listen to these signals until their process ends.
  const names = process
    .eventNames()
    .filter((name) => !["SIGINT", "SIGTERM", "SIGHUP"].includes(String(name)));
  return new Map(names.map((name) => [name, process.listenerCount(name)]));
}

const endedTimers = new WeakSet<object>();

/** `setTimeout` or `setInterval`. */
function watched<Start extends typeof setTimeout | typeof setInterval>(start: Start, isOnce: boolean): Start {
  return new Proxy(start, {
    apply(original, self, [callback, ...rest]) {
      const run = (...args: unknown[]) => {
        if (isOnce) endedTimers.add(timer);
        return callback(...args);
      };
      const timer: NodeJS.Timeout = Reflect.apply(original, self, [run, ...rest]);
      begin(timer, "a timer", () => timer.hasRef() && !endedTimers.has(timer));
      return timer;
    },
  });
}

const { set } = services;
services.set = (emulator, service) => {
  const { closeListeners, closing, logReaders } = service.core;
  // A listener of `onRequest` may stay until the emulator is disposed.
  const isOpen = () => closeListeners.size + (closing.aborted ? 0 : logReaders.size) > 0;
  begin(service.core, "a request, a stream or a listener of an emulator", isOpen);
  return set.call(services, emulator, service);
};

const { sleep } = Sleepers.prototype;
Sleepers.prototype.sleep = function (...args) {
  begin(this, "a sleep on the clock of an emulator", () => this.nextWakeAt !== Number.POSITIVE_INFINITY);
  return sleep.apply(this, args);
};

const { add } = Queue.prototype;
Queue.prototype.add = function (entry) {
  begin(this, "a request in the queue of a pacer", () => this.entries(0, 1, 2).length > 0);
  add.call(this, entry);
};

if (evaluatedBefore === undefined) {
  globalThis.setTimeout = watched(setTimeout, true);
  globalThis.setInterval = watched(setInterval, false);

  for (const name of ["clearTimeout", "clearInterval"] as const) {
    globalThis[name] = new Proxy(globalThis[name], {
      apply(original, self, [timer]) {
        if (timer instanceof Object) endedTimers.add(timer);
        Reflect.apply(original, self, [timer]);
      },
    });
  }

  // Only the test's own signals: what listens to a private signal goes with it.
  globalThis.AbortController = new Proxy(AbortController, {
    construct(original, args, created) {
      const controller: AbortController = Reflect.construct(original, args, created);
      const { signal } = controller;
      const isOpen = () => !signal.aborted && getEventListeners(signal, "abort").length > 0;
      begin(signal, "a listener on a signal", isOpen, { ofTest: true });
      return controller;
    },
  });

  Server.prototype.listen = new Proxy(Server.prototype.listen, {
    apply(original, server: Server, args) {
      begin(server, "a server", () => server.listening);
      return Reflect.apply(original, server, args);
    },
  });
}
