/**
 * `npm run simulate:bugs`: puts deliberate bugs into a copy of the sources, one at a time, and shows that the
 * simulation finds each. A bug that it does not find, or that no longer fits the sources, fails.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** What is replaced, once, and by what. */
interface Bug {
  name: string;
  file: string;
  find: string;
  replace: string;
}

const BUGS: readonly Bug[] = [
  {
    name: "a POST is sent again after a 502",
    file: "src/tasks/judge-submission.ts",
    find: "return { error: submissionOutcomeUnknown(failure, request), mayResend: false };",
    replace: "return { error: submissionOutcomeUnknown(failure, request), mayResend: true };",
  },
  {
    name: "no intent is written before the POST",
    file: "src/journal/submit-once.ts",
    find: "if (!isTaken) await take(slot, intent);",
    replace: "",
  },
  {
    name: "the intent is not awaited: the POST leaves beside it",
    file: "src/journal/submit-once.ts",
    find: "if (!isTaken) await take(slot, intent);",
    replace: "if (!isTaken) take(slot, intent).catch(() => {});",
  },
  {
    name: "the task is not recorded",
    file: "src/journal/submit-once.ts",
    find: "const isPut = (await slot.put(entry, intent.revision)) || (await slot.put(entry, null));",
    replace: "const isPut = true;",
  },
  {
    name: "a task whose answer is broken is not recorded",
    file: "src/journal/submit-once.ts",
    find: "if (error instanceof AsyncMusicError && error.taskId !== null) {",
    replace: "if (false) {",
  },
  {
    name: "an unknown outcome frees the key",
    file: "src/journal/submit-once.ts",
    find: "if (!isRefused(error, order.signal)) {",
    replace: "if (false) {",
  },
  {
    name: "who comes second posts all the same",
    file: "src/journal/submit-once.ts",
    find: "if (!isPut) throw new AlreadyTaken();",
    replace: "",
  },
  {
    name: "an intent that stays one is taken over",
    file: "src/journal/submit-once.ts",
    find: "if (look >= LOOKS) throw await outcomeUnknown(slot, entry, { probe: order.probe });",
    replace: "if (look >= LOOKS) await slot.free(entry.revision);",
  },
  {
    name: "a journal overwrites what is there",
    file: "src/journal/memory-journal.ts",
    find: "if (revisionAt(key) !== previous) return false;",
    replace: "",
  },
  {
    name: "an abort during the POST counts as one before it",
    file: "src/transport/exchange.ts",
    find: 'kind: began ? "aborted" : "aborted_before_sending"',
    replace: 'kind: "aborted_before_sending"',
  },
  {
    name: "a connection that broke counts as one that was never made",
    file: "src/transport/exchange.ts",
    find: 'kind: head === null && certainlyNeverLeft(cause) ? "never_left" : "lost"',
    replace: 'kind: "never_left"',
  },
  {
    name: "the evidence says the opposite",
    file: "src/journal/probe.ts",
    find: 'return fits(created) ? "not_created" : "created";',
    replace: 'return fits(created) ? "created" : "not_created";',
  },
  {
    name: "a stated wait is not waited for",
    file: "src/transport/transport.ts",
    find: 'const statedMs = outcome.kind === "answered" ? statedWaitOf(outcome, now) : null;',
    replace: "const statedMs = null as number | null;",
  },
  {
    name: "the service settles twice",
    file: "emulator/ledger/ledger.ts",
    find: 'record(ledger, at, "settle", credits, taskId);',
    replace:
      'record(ledger, at, "settle", credits, taskId);\n  record(ledger, at, "settle", credits, taskId);',
  },
  {
    name: "the service keeps what it should refund",
    file: "emulator/ledger/ledger.ts",
    find: 'ledger.available += credits;\n  record(ledger, at, "refund"',
    replace: 'record(ledger, at, "refund"',
  },
];

const WORLDS = "2000";
const results = BUGS.map((bug) => ({ bug, found: searchFor(bug) }));
for (const { bug, found } of results) console.log(`${found ?? "NOT FOUND"}: ${bug.name}`);
if (results.some(({ found }) => found === null)) process.exitCode = 1;

/** The first property that a copy with the bug is seen to break, and in which world. */
function searchFor({ file, find, replace }: Bug): string | null {
  const copy = mkdtempSync(join(tmpdir(), "async-music-bug-"));
  try {
    for (const part of ["src", "emulator", "scripts", "package.json"])
      cpSync(part, join(copy, part), { recursive: true });
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
    const sound = readFileSync(join(copy, file), "utf8");
    if (sound.split(find).length !== 2) throw new Error(`Expected ${file} to have once: ${find}`);
    writeFileSync(
      join(copy, file),
      sound.replace(find, () => replace),
    );

    const parameters = [
      "--import",
      "./scripts/run-sources.ts",
      "scripts/simulate/simulate.ts",
      "--worlds",
      WORLDS,
    ];
    const { stdout } = spawnSync(process.execPath, [...parameters, "--first"], {
      cwd: copy,
      encoding: "utf8",
    });
    const [, world, violation] = /World (\d+) is broken.*\n\s+(.*)/.exec(stdout) ?? [];
    return world === undefined ? null : `world ${world}, ${violation}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
