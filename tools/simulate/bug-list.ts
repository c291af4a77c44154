/** The text that is replaced, once, and its replacement. */
export interface Bug {
  name: string;
  file: string;
  find: string;
  replace: string;
  /** The first world to search, for bugs that few worlds show. @defaultValue 251 */
  firstWorld?: number;
}

/** Deliberate bugs, each of which the simulation must find. */
export const BUGS: readonly Bug[] = [
  {
    name: "a POST is sent again after a 502",
    file: "src/tasks/create-task.ts",
    find: "return { error: submissionOutcomeUnknown(failure), mayResend: false };",
    replace: 'return { error: submissionOutcomeUnknown(failure), mayResend: true, noTask: "refused" };',
  },
  {
    name: "a POST without a journal is sent again after a 502",
    file: "src/tasks/create-task.ts",
    find: "return { error: submissionOutcomeUnknown(failure), mayResend: false };",
    replace: "return { error: submissionOutcomeUnknown(failure), mayResend: true };",
  },
  {
    name: "no intent is written before the POST",
    file: "src/journal/intent-claim.ts",
    find: "isPut = await slot.put(intent, previous, hold?.put);",
    replace: "isPut = true;",
  },
  {
    name: "the POST is sent without waiting for the intent",
    file: "src/journal/intent-claim.ts",
    find: "isPut = await slot.put(intent, previous, hold?.put);",
    replace: "isPut = (void slot.put(intent, previous).catch(() => {}), true);",
  },
  {
    name: "the task is not recorded",
    file: "src/journal/journaled-task.ts",
    find: "const isPut = (await this.#slot.put(this.entry, this.#intent)) || (await this.#reconcile());",
    replace: "const isPut = true;",
  },
  {
    name: "a task whose response is cut is not recorded",
    file: "src/tasks/journaled-submission.ts",
    find: "await created.record();\n    await hold",
    replace: "submission && (await created.record());\n    await hold",
  },
  {
    name: "an unknown outcome frees the key",
    file: "src/tasks/journaled-submission.ts",
    find: "if (taskId === null) throw await outcomeUnknown(",
    replace:
      "if (taskId === null) await claim.release('refused');\n  if (taskId === null) throw await outcomeUnknown(",
  },
  {
    name: "a second process sends a POST for the same key",
    file: "src/journal/intent-claim.ts",
    find: 'if (!isPut) throw new AlreadyTaken("Another run has taken the journal key.");',
    replace: "",
  },
  {
    name: "another process takes over an old intent",
    file: "src/tasks/journaled-submission.ts",
    find: "throw await outcomeUnknown(slot, entry, this.#evidence(), null);",
    replace: "await slot.free(entry.revision);",
  },
  {
    name: "a journal overwrites an existing entry",
    file: "src/journal/memory-journal.ts",
    find: "if (revisionAt(key) !== previous) return false;",
    replace: "",
  },
  {
    name: "an abort during the POST counts as one before it",
    file: "src/tasks/one-submission.ts",
    find: "reject(abortedInFlight(this.shared.context, call, this.requestId, signal?.reason))",
    replace: "reject(signal?.reason)",
  },
  {
    name: "a POST in flight is dropped when its caller aborts",
    file: "src/http/exchange.ts",
    find: "this.#deadline.callerAbort.remove();",
    replace: "",
    firstWorld: 1050,
  },
  {
    name: "the response to a POST is not recorded after its caller aborts",
    file: "src/tasks/journaled-submission.ts",
    find: "const created = JournaledTask",
    replace: "if (this.#order.options.signal?.aborted) return null;\n    const created = JournaledTask",
  },
  {
    name: "a broken connection counts as one that was never made",
    file: "src/http/exchange.ts",
    find: 'kind: isNeverSent ? "never_sent" : "connection_lost"',
    replace: 'kind: "never_sent"',
  },
  {
    name: "the evidence states the opposite",
    file: "src/journal/evidence.ts",
    find: 'return fits(created) ? "not_created" : "created";',
    replace: 'return fits(created) ? "created" : "not_created";',
    firstWorld: 1000,
  },
  {
    name: "a stated wait is ignored",
    file: "src/http/response.ts",
    find: "statedWaitMs: status >= 300 ? statedWaitMs(headers, json, now) : null,",
    replace: "statedWaitMs: null,",
  },
  {
    name: "the service settles a task twice",
    file: "emulator/core/ledger.ts",
    find: 'addEntry(ledger, at, { kind: "settle", credits, task_id: task.id });',
    replace:
      'for (let i = 0; i < 2; i++) addEntry(ledger, at, { kind: "settle", credits, task_id: task.id });',
  },
  {
    name: "the service does not refund a failed task",
    file: "emulator/core/ledger.ts",
    find: 'ledger.available += credits;\n  addEntry(ledger, at, { kind: "refund"',
    replace: 'addEntry(ledger, at, { kind: "refund"',
  },
  {
    name: "concurrency: a charged reservation is charged again by the second process",
    file: "src/budget/memory-store.ts",
    find: "if (settled.has(reservation.id)) return;",
    replace: "",
  },
  {
    name: "concurrency: a budget admits without counting what others have reserved",
    file: "src/budget/memory-store.ts",
    find: "used.spent + used.reserved + reservation.credits <= maxCredits",
    replace: "used.spent + reservation.credits <= maxCredits",
  },
  {
    name: "concurrency: a reservation that another run has resumed exceeds the maximum",
    file: "src/budget/memory-store.ts",
    find: "const fits = used.spent",
    replace: "const fits = known !== undefined || used.spent",
    firstWorld: 2_226_638_433,
  },
  {
    name: "concurrency: a reservation is freed while its POST is in flight",
    file: "src/budget/hold.ts",
    find: "this.#note(await this.#actions.reserve(this.#reservation));",
    replace:
      "this.#note(await this.#actions.reserve(this.#reservation));\n    await this.#actions.free(this.#reservation);",
  },
  {
    name: "concurrency: a reservation is freed after an unknown outcome",
    file: "src/tasks/journaled-submission.ts",
    find: "if (taskId === null) throw await outcomeUnknown(",
    replace: "if (taskId === null) await hold?.free();\n    if (taskId === null) throw await outcomeUnknown(",
  },
  {
    name: "concurrency: the reservation of a key is forgotten when another run takes it over",
    file: "src/tasks/journaled-submission.ts",
    find: "await budget.resume(reservation, journaling, unrecorded);",
    replace: "await budget.free(reservation);",
  },
  {
    name: "concurrency: an intent is deleted although another run has it",
    file: "src/journal/memory-journal.ts",
    find: "return revisionAt(key) === revision && entries.delete(key);",
    replace: "return entries.delete(key);",
    firstWorld: 360,
  },
  {
    name: "concurrency: a run deletes the intent of the run that took the key",
    file: "src/journal/intent-claim.ts",
    find: 'if (!isPut) throw new AlreadyTaken("Another run has taken the journal key.");',
    replace:
      'if (!isPut) {\n      await slot.free((await slot.read())?.revision ?? "");\n      throw new AlreadyTaken("Another run has taken the journal key.");\n    }',
  },
  {
    name: "concurrency: the intent is released before the response arrives",
    file: "src/journal/intent-claim.ts",
    find: "this.intent = intent;\n    this.failure = null;",
    replace: "this.intent = intent;\n    void slot.free(intent.revision);\n    this.failure = null;",
  },
  {
    name: "concurrency: a refused POST leaves its intent in the journal",
    file: "src/journal/intent-claim.ts",
    find: "const isRestored = await (restored === null ? slot.free(revision) : slot.put(restored, revision));",
    replace: "const isRestored = restored !== null && (await slot.put(restored, revision));",
  },
  {
    name: "concurrency: a run does not wait for the intent of another run",
    file: "src/tasks/journaled-submission.ts",
    find: "if (checks >= MOST_CHECKS) {",
    replace: "if (entry?.state === 'intent') {",
    firstWorld: 2150,
  },
  {
    name: "concurrency: the end of a task overwrites the record of another task",
    file: "src/journal/slot.ts",
    find: "if (isSameTask && latest.revision !== entry.revision) await this.#close(latest, status);",
    replace: 'await this.#journal.delete(this.key, latest?.revision ?? "");',
  },
  {
    name: "concurrency: a POST is sent while the last one for the key is in flight",
    file: "src/journal/intent-claim.ts",
    find: "if (isFreed(entry)) return { revision, freed: entry };",
    replace: "if (isFreed(entry) || entry.state === 'intent') return { revision, freed: null };",
  },
];
