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
    find: "if (!isRefusal) return { error: submissionOutcomeUnknown(failure), mayResend: false };",
    replace: "if (!isRefusal) return { error: submissionOutcomeUnknown(failure), mayResend: true };",
  },
  {
    name: "no intent is written before the POST",
    file: "src/journal/submit-once.ts",
    find: "if (!isTaken) await take(slot, intent, freed);",
    replace: "if (!isTaken) {}",
  },
  {
    name: "the intent is not awaited: the POST leaves beside it",
    file: "src/journal/submit-once.ts",
    find: "if (!isTaken) await take(slot, intent, freed);",
    replace: "if (!isTaken) take(slot, intent, freed).catch(() => {});",
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
    find: "if (!isAborted && error instanceof AsyncMusicError && error.taskId !== null) {",
    replace: "if (false) {",
  },
  {
    name: "an unknown outcome frees the key",
    file: "src/journal/submit-once.ts",
    find: "} else if (isAborted || isRefused(error)) {",
    replace: "} else if (true) {",
  },
  {
    name: "who comes second posts all the same",
    file: "src/journal/submit-once.ts",
    find: 'if (!isPut) throw new AlreadyTaken("Another run has taken the key.");',
    replace: "",
  },
  {
    name: "an intent that stays one is taken over",
    file: "src/journal/submit-once.ts",
    find: "throw await outcomeUnknown(slot, entry, { probe: order.probe });",
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
    find: "inFlight ? undefined : options.signal);",
    replace: "options.signal);",
    firstWorld: 4001,
  },
  {
    name: "what a POST brings that its caller has left is not recorded",
    file: "src/journal/submit-once.ts",
    find: 'if ("submission" in sent) return record(',
    replace: 'if ("submission" in sent) return order.signal?.aborted ? null : record(',
  },
  {
    name: "a connection that broke counts as one that was never made",
    file: "src/http/attempt.ts",
    find: 'kind: head === null && certainlyNeverLeft(cause) ? "never_left" : "lost"',
    replace: 'kind: "never_left"',
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
    find: 'addEntry(ledger, at, "settle", credits, task.id);',
    replace:
      'addEntry(ledger, at, "settle", credits, task.id);\n  addEntry(ledger, at, "settle", credits, task.id);',
  },
  {
    name: "the service keeps what it should refund",
    file: "emulator/core/ledger.ts",
    find: 'ledger.available += credits;\n  addEntry(ledger, at, "refund"',
    replace: 'addEntry(ledger, at, "refund"',
  },
];
