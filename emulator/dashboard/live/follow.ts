import { effect, untracked } from "@preact/signals";
import { ask, controlPlane } from "../client/client.js";
import { followLog } from "./follow-log.js";
import { followTime, setNow } from "./now.js";
import { account, beat, findings, ledgers, link, overview, tasks } from "./store.js";

/** What is looked at again although nothing was heard: time passes, and others may drive the control plane. */
const IDLE_MS = 2000;
/** The pace of looks while much is heard, and the part of the time that they may take. */
const BUSY_MS = 250;
const REST = 4;

/** Whoever changed something calls this, to see it at once. */
export let lookAgain = (): void => {};

/** Keeps the store in step with the emulator for as long as the page lives. */
export function follow(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking = false;
  let asked = false;
  let idleLooks = 0;

  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  const run = async () => {
    looking = true;
    const isBusy = asked || idleLooks++ % 5 === 0;
    asked = false;
    const began = performance.now();
    try {
      if (await look(isBusy)) log.restart();
      link.value = "live";
    } catch {
      link.value = "lost";
    }
    looking = false;
    schedule(asked ? Math.max(BUSY_MS, REST * (performance.now() - began)) : IDLE_MS);
  };
  lookAgain = () => {
    const wasAsked = asked;
    asked = true;
    if (!looking && !wasAsked) schedule(0);
  };

  const log = followLog(
    () => lookAgain(),
    () => {
      link.value = "lost";
      lookAgain();
    },
  );
  followTime();
  // Another account's ledger is not there yet.
  effect(() => {
    if (account.value !== null && ledgers.value[account.value.account_id] === undefined) lookAgain();
  });
  void run();
}

/** One look. The answer says whether the emulator has become another since the last. */
async function look(isBusy: boolean): Promise<boolean> {
  const seen = await ask(controlPlane.GET("/_emulator/overview"));
  const before = untracked(() => overview.value);
  const isOther = before !== null && before.generation !== seen.generation;
  if (isOther) {
    tasks.value = [];
    findings.value = [];
    ledgers.value = {};
  }
  setNow(seen.now);
  overview.value = seen;
  await Promise.all([
    isBusy || seen.tasks !== tasks.value.length ? lookAtTasks() : null,
    seen.findings !== findings.value.length ? lookAtFindings() : null,
    lookAtLedger(),
  ]);
  if (isBusy) beat.value++;
  return isOther;
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
