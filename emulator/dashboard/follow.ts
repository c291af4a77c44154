import { effect } from "@preact/signals";
import { call, type ExchangeRow, type Overview } from "./api.js";
import {
  account,
  areFindingsLoaded,
  areTasksLoaded,
  findings,
  futureChanges,
  isLogComplete,
  isLogLoaded,
  ledgers,
  link,
  now,
  overview,
  requests,
  revision,
  tasks,
} from "./store.js";

/** Interval of refreshes without a request: time passes, and other programs may use the control plane. */
const IDLE_MS = 2000;
/** Shortest interval of refreshes while requests arrive, and its ratio to the length of a refresh. */
const BUSY_MS = 250;
const BUSY_RATIO = 4;

/** How long requests are collected before they are shown. */
const COLLECT_MS = 100;
const RECONNECT_MS = 1000;
/** The number of no request: before it are the latest ones. */
const AFTER_THE_LAST = String(10 ** 14);
/** As many as the emulator itself keeps. */
const MAX_REQUESTS = 100_000;

/** Refreshes at once, after a change made by this page. */
export let refreshNow = (): void => {};

/** Keeps the store up to date for the life of the page. It is long because its steps share when and what to refresh next. */
export function follow(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRefreshing = false;
  /** 0: when the time has come; 1: soon; 2: at once. */
  let wanted: 0 | 1 | 2 = 0;
  let idleRefreshes = 0;
  let generation = 0;
  let isStale = true;

  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  const want = (urgency: 1 | 2) => {
    if (urgency <= wanted) return;
    wanted = urgency;
    if (!isRefreshing) schedule(0);
  };
  const run = async () => {
    isRefreshing = true;
    const isBusy = wanted > 0 || idleRefreshes++ % 5 === 0;
    wanted = 0;
    const startedAt = performance.now();
    try {
      const latest = await refreshOverview();
      const isOther = latest.generation !== generation;
      generation = latest.generation;
      const isFresh = isOther || isStale;
      isStale = false;
      await refreshRest(latest, isBusy, isFresh);
      if (isOther) restartLog();
      link.value = "live";
    } catch {
      link.value = "lost";
    }
    isRefreshing = false;
    // A busy emulator responds slowly: it is refreshed no less often than an idle one.
    const busyMs = Math.min(Math.max(BUSY_MS, BUSY_RATIO * (performance.now() - startedAt)), IDLE_MS);
    schedule([IDLE_MS, busyMs, 0][wanted] ?? 0);
  };

  const refreshSoon = () => want(1);
  refreshNow = () => want(2);
  const restartLog = followLog({
    onOpen(isFirst) {
      // Another emulator may run at this address now.
      isStale ||= !isFirst;
      refreshSoon();
    },
    onRequests: refreshSoon,
    onLost() {
      link.value = "lost";
      refreshSoon();
    },
  });
  setInterval(estimateTime, 1000);
  effect(() => {
    if (account.value !== null && ledgers.value[account.value.account_id] === undefined) refreshSoon();
  });
  void run();
}

let overviewAt = 0;

export async function refreshOverview(): Promise<Overview> {
  const latest = await call("GET /overview");
  overviewAt = performance.now();
  now.value = Date.parse(latest.now);
  overview.value = latest;
  return latest;
}

function estimateTime(): void {
  // Whether the time of an emulator that cannot be reached continues is unknown.
  if (overview.value?.clock !== "real" || link.value !== "live") return;
  now.value = Date.parse(overview.value.now) + performance.now() - overviewAt;
}

/** @param isFresh - Whether everything is read again: what is known may belong to another state. */
async function refreshRest(latest: Overview, isBusy: boolean, isFresh: boolean): Promise<void> {
  const hasNewTasks = isBusy || isFresh || latest.tasks !== tasks.value.length;
  await Promise.all([
    hasNewTasks ? refreshTasks(isFresh) : null,
    refreshLedger(isFresh),
    isFresh ? refreshFuture() : null,
  ]);
  if (isFresh || latest.findings !== findings.value.length)
    findings.value = (await call("GET /audit")).findings;
  areFindingsLoaded.value = true;
  if (isBusy) revision.value++;
}

async function refreshFuture(): Promise<void> {
  futureChanges.value = (await call("GET /future")).changes;
}

/** A finished task never changes: only the tasks from the first unfinished one are read again. */
async function refreshTasks(isFresh: boolean): Promise<void> {
  const known = isFresh ? [] : tasks.value;
  const firstOpen = known.findIndex(({ status }) => status === "pending" || status === "running");
  const position = firstOpen === -1 ? known.length : firstOpen;
  const { tasks: latest } = await call("GET /tasks/from/{ordinal}", String(position));
  if (isFresh || latest.length > 0) tasks.value = [...known.slice(0, position), ...latest];
  areTasksLoaded.value = true;
}

async function refreshLedger(isFresh: boolean): Promise<void> {
  if (account.value === null) return;
  const { account_id: accountId, ledger_entries: count } = account.value;
  const known = isFresh ? undefined : ledgers.value[accountId];
  if (known !== undefined && known.length === count) return;
  const { entries } = await call(
    "GET /accounts/{account_id}/ledger/from/{index}",
    accountId,
    String(known?.length ?? 0),
  );
  ledgers.value = { ...(isFresh ? {} : ledgers.value), [accountId]: [...(known ?? []), ...entries] };
}

/**
 * Reads the log from its end: the latest requests first, then the earlier ones, while a stream brings the later ones. Returns a
 * function that reads all of it again. It is long because its steps share the stream and what the stream has brought.
 */
function followLog(listener: {
  onOpen(isFirst: boolean): void;
  onRequests(): void;
  onLost(): void;
}): () => void {
  let source: EventSource | null = null;
  /** What the stream has brought and is not shown yet. */
  let received: ExchangeRow[] = [];
  let isCollecting = false;
  let isFirst = true;

  const show = () => {
    isCollecting = false;
    if (!isLogLoaded.value || received.length === 0) return;
    requests.value = [...requests.value, ...received].slice(-MAX_REQUESTS);
    received = [];
    listener.onRequests();
  };
  const collect = () => {
    if (!isCollecting) setTimeout(show, COLLECT_MS);
    isCollecting = true;
  };
  const readPast = async (own: EventSource) => {
    const latest = await call("GET /exchanges/before/{number}", AFTER_THE_LAST);
    if (source !== own) return;
    const { number } = latest.exchanges.at(-1) ?? {};
    // The stream may have brought the same requests meanwhile.
    received = received.filter((each) => (each.number ?? 0) > (number ?? 0));
    requests.value = latest.exchanges;
    isLogLoaded.value = true;
    collect();
    for (let { earlier } = latest; earlier; ) {
      // What is read already is drawn first.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const first = requests.value.find((each) => each.number !== null);
      const before = await call("GET /exchanges/before/{number}", String(first?.number ?? 0));
      if (source !== own) return;
      requests.value = [...before.exchanges, ...requests.value];
      ({ earlier } = before);
    }
    isLogComplete.value = true;
  };
  const restart = () => {
    source?.close();
    source = null;
    if (document.hidden) return;
    const own = new EventSource("/_emulator/exchanges/stream");
    source = own;
    own.onopen = () => {
      received = [];
      listener.onOpen(isFirst);
      isFirst = false;
      // A lost connection opens again by itself.
      void readPast(own).catch(() => setTimeout(() => source === own && restart(), RECONNECT_MS));
    };
    own.onmessage = ({ data }: MessageEvent<string>) => {
      received.push(JSON.parse(data));
      collect();
    };
    own.onerror = () => {
      listener.onLost();
      // It reconnects by itself, unless the response was not a stream.
      if (own.readyState === EventSource.CLOSED) setTimeout(restart, RECONNECT_MS);
    };
  };
  // A browser opens six connections to a host: the streams of hidden tabs would leave none to the others.
  document.addEventListener("visibilitychange", restart);
  restart();
  return restart;
}
