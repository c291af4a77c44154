/** What is replaced, once, and by what. */
export interface Bug {
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Where to begin the search for what shows in one of thousands only. @defaultValue 1 */
  firstWorld?: number;
}

/** Deliberate bugs, each of which the simulation must find. */
export const BUGS: readonly Bug[] = [
  {
    name: "a POST is sent again after a 502",
    file: "src/tasks/calls.ts",
    find: "return { error: submissionOutcomeUnknown(failure), mayResend: false };",
    replace: "return { error: submissionOutcomeUnknown(failure), mayResend: true };",
  },
  {
    name: "no intent is written before the POST",
    file: "src/journal/submit-once.ts",
    find: "intent.revision : await take();",
    replace: "intent.revision : true;",
  },
  {
    name: "the intent is not awaited: the POST leaves beside it",
    file: "src/journal/submit-once.ts",
    find: "intent.revision : await take();",
    replace: "intent.revision : (void take().catch(() => {}), true);",
  },
  {
    name: "the task is not recorded",
    file: "src/journal/submit-once.ts",
    find: "const isPut = (await slot.put(entry, intent.revision)) || (await replaceSettlement(slot, entry));",
    replace: "const isPut = true;",
  },
  {
    name: "a task whose answer is broken is not recorded",
    file: "src/journal/submit-once.ts",
    find: "if (taskId !== null) await record(",
    replace: "if (false) await record(",
  },
  {
    name: "an unknown outcome frees the key",
    file: "src/journal/submit-once.ts",
    find: "else if (!isAborted && !isRefused(error))",
    replace: "else if (false)",
  },
  {
    name: "who comes second posts all the same",
    file: "src/journal/submit-once.ts",
    find: 'if (!isOurs) throw new AlreadyTaken("Another run has taken the key.");',
    replace: "",
  },
  {
    name: "an intent that stays one is taken over",
    file: "src/journal/submit-once.ts",
    find: "throw await outcomeUnknown(slot, entry, pending.probe, null);",
    replace: "await slot.free(entry.revision);",
  },
  {
    name: "a journal overwrites what is there",
    file: "src/journal/entries.ts",
    find: "if (revisionAt(key) !== previous) return false;",
    replace: "",
  },
  {
    name: "an abort during the POST counts as one before it",
    file: "src/tasks/tasks.ts",
    find: "reject(abortedInFlight(call, known, this.#context.redactor))",
    replace: "reject(signal?.reason)",
  },
  {
    name: "a POST that its caller has left is dropped",
    file: "src/http/attempt.ts",
    find: "inFlight ? undefined : signal);",
    replace: "signal);",
    firstWorld: 4001,
  },
  {
    name: "what a POST brings that its caller has left is not recorded",
    file: "src/journal/submit-once.ts",
    find: "return record(slot, intent, submission.task_id",
    replace: "return pending.signal?.aborted ? null : record(slot, intent, submission.task_id",
  },
  {
    name: "a connection that broke counts as one that was never made",
    file: "src/http/attempt.ts",
    find: 'kind: isNeverSent ? "never_sent" : "connection_lost"',
    replace: 'kind: "never_sent"',
  },
  {
    name: "the evidence says the opposite",
    file: "src/journal/evidence.ts",
    find: 'return fits(created) ? "not_created" : "created";',
    replace: 'return fits(created) ? "created" : "not_created";',
  },
  {
    name: "a stated wait is not waited for",
    file: "src/http/attempt.ts",
    find: "statedWaitMs: status >= 400 ? statedWaitMs(headers, json, now) : null,",
    replace: "statedWaitMs: null,",
  },
  {
    name: "the service settles twice",
    file: "emulator/core/ledger.ts",
    find: 'addEntry(ledger, at, { kind: "settle", credits, task_id: task.id });',
    replace:
      'for (let i = 0; i < 2; i++) addEntry(ledger, at, { kind: "settle", credits, task_id: task.id });',
  },
  {
    name: "the service keeps what it should refund",
    file: "emulator/core/ledger.ts",
    find: 'ledger.available += credits;\n  addEntry(ledger, at, { kind: "refund"',
    replace: 'addEntry(ledger, at, { kind: "refund"',
  },
];
