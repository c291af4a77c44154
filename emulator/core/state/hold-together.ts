import type { Account } from "../accounts.js";
import type { Ledger, LedgerEntry } from "../ledger.js";
import { addsUp } from "../ledger.js";
import { isOpen, type StoredTask } from "../task.js";

/** Each task belongs to an account, which has frozen its credits once, and then settled or refunded them as it ended. */
export function holdTogether(accounts: readonly Account[], tasks: readonly StoredTask[]): boolean {
  const byId = new Map(
    accounts.map((account) => [
      account.id,
      { account, moves: movesOf(account.ledger), created: 0, used: 0, open: 0 },
    ]),
  );
  for (const task of tasks) {
    const owner = byId.get(task.accountId);
    if (owner?.moves.get(task.id) !== movesFor(task)) return false;
    owner.created++;
    owner.used += task.credits;
    if (!isOpen(task)) continue;
    owner.open++;
    if (owner.account.ledger.holds[task.ordinal] !== task.credits) return false;
  }
  return [...byId.values()].every(
    ({ account, moves, created, used, open }) =>
      account.tasksCreated === created &&
      moves.size === created &&
      account.creditsUsed === used &&
      Object.keys(account.ledger.holds).length === open &&
      addsUp(account.ledger),
  );
}

/** How the credits of each task moved that a ledger names. */
function movesOf({ entries }: Ledger): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const { kind, credits, task_id: taskId } of entries)
    if (taskId !== null) moves.set(taskId, (moves.get(taskId) ?? "") + moveOf(kind, credits));
  return moves;
}

const ENDS = {
  pending: null,
  running: null,
  success: "settle",
  failure: "refund",
  timeout: "refund",
} as const;

function movesFor({ status, credits }: StoredTask): string {
  const end = ENDS[status];
  return moveOf("freeze", credits) + (end === null ? "" : moveOf(end, credits));
}

function moveOf(kind: LedgerEntry["kind"], credits: number): string {
  return `${kind} ${credits}, `;
}
