import { effect } from "@preact/signals";
import { ask, controlPlane, type Overview } from "../client/client.js";
import { followLog } from "./follow-log.js";
import { followTime, setNow } from "./now.js";
import { account, beat, findings, ledgers, link, overview, tasks } from "./store.js";

/** What is looked at again although nothing was heard: time passes, and others may drive the control plane. */
const IDLE_MS = 2000;
/** The pace of looks while much is heard, and how much longer than a look the rest after it is. */
const BUSY_MS = 250;
const REST = 4;

/** Whoever changed something calls this, to see it at once. */
export let lookNow = (): void => {};

/** Keeps the store in step with the emulator for as long as the page lives. */
export function follow(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking = false;
  let asked = false;
  let isUrgent = false;
  let idleLooks = 0;
  let generation = 0;
  let isStale = false;

  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  const run = async () => {
    looking = true;
    const isBusy = asked || idleLooks++ % 5 === 0;
    asked = false;
    isUrgent = false;
    const began = performance.now();
    try {
      const seen = await lookAtOverview();
      const isOther = seen.generation !== generation;
      generation = seen.generation;
      if (isOther || isStale) forget();
      isStale = false;
      await lookAtRest(seen, isBusy);
      if (isOther) log.restart();
      link.value = "live";
    } catch {
      link.value = "lost";
    }
    looking = false;
    // An emulator that is at work answers late: its looks are not fewer for that than when it is idle.
    const restMs = Math.min(Math.max(BUSY_MS, REST * (performance.now() - began)), IDLE_MS);
    schedule(isUrgent ? 0 : asked ? restMs : IDLE_MS);
  };
  const lookAgain = () => {
    const wasAsked = asked;
    asked = true;
    if (!looking && !wasAsked) schedule(0);
  };
  lookNow = () => {
    asked = true;
    isUrgent = true;
    if (!looking) schedule(0);
  };

  const log = followLog({
    opened() {
      // Whoever answers now may be another emulator than before, at the same address.
      isStale = true;
      lookAgain();
    },
    heard: lookAgain,
    lost() {
      link.value = "lost";
      lookAgain();
    },
  });
  followTime();
  // Another account's ledger is not there yet.
  effect(() => {
    if (account.value !== null && ledgers.value[account.value.account_id] === undefined) lookAgain();
  });
  void run();
}

async function lookAtOverview(): Promise<Overview> {
  const seen = await ask(controlPlane.GET("/_emulator/overview"));
  setNow(seen.now);
  overview.value = seen;
  return seen;
}

/** What was seen is of no use to what comes. */
function forget(): void {
  tasks.value = [];
  findings.value = [];
  ledgers.value = {};
}

async function lookAtRest(seen: Overview, isBusy: boolean): Promise<void> {
  await Promise.all([
    isBusy || seen.tasks !== tasks.value.length ? lookAtTasks() : null,
    seen.findings !== findings.value.length ? lookAtFindings() : null,
    lookAtLedger(),
  ]);
  if (isBusy) beat.value++;
}

/** Nothing changes of a task that has ended: what was seen up to the first open one stays. */
async function lookAtTasks(): Promise<void> {
  const known = tasks.value;
  const firstOpen = known.findIndex(({ status }) => status === "pending" || status === "running");
  const ordinal = firstOpen === -1 ? known.length : firstOpen;
  const { tasks: seen } = await ask(
    controlPlane.GET("/_emulator/tasks/from/{ordinal}", { params: { path: { ordinal: String(ordinal) } } }),
  );
  if (seen.length > 0) tasks.value = [...known.slice(0, ordinal), ...seen];
}

async function lookAtFindings(): Promise<void> {
  findings.value = (await ask(controlPlane.GET("/_emulator/audit"))).findings;
}

async function lookAtLedger(): Promise<void> {
  if (account.value === null) return;
  const { account_id: accountId, ledger_entries: count } = account.value;
  const known = ledgers.value[accountId];
  if (known !== undefined && known.length === count) return;
  const place = String(known?.length ?? 0);
  const { entries } = await ask(
    controlPlane.GET("/_emulator/accounts/{account_id}/ledger/from/{place}", {
      params: { path: { account_id: accountId, place } },
    }),
  );
  ledgers.value = { ...ledgers.value, [accountId]: [...(known ?? []), ...entries] };
}
