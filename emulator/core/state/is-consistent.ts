import { EMULATOR_KEY } from "../accounts.js";
import type { StoredPayment } from "../payments/schemas.js";
import type { StoredTask } from "../task.js";
import { readBrief } from "../task.js";
import { holdTogether } from "./hold-together.js";
import type { State } from "./state.js";

/** Whether the parts of a state belong together: what each of them names is there, and the money adds up. */
export function isConsistent({ owner, accounts, tasks, counts }: State): boolean {
  const accountIds = accounts.map(({ id }) => id);
  const keys = accounts.flatMap((account) => account.keys.map(({ value }) => value));
  const payments = accounts.flatMap(({ purchases }) => purchases.payments);
  return (
    counts.accounts >= accounts.length &&
    counts.keys >= keys.length &&
    counts.payments >= payments.length &&
    counts.invoices >= payments.filter(({ invoice_id: id }) => id !== null).length &&
    payments.every(isWhole) &&
    areDifferent(payments.map(({ payment_id: id }) => id)) &&
    areDifferent(accountIds) &&
    areDifferent(keys) &&
    // A schema's message would show them.
    [owner.apiKey, ...keys].every((key) => EMULATOR_KEY.test(key)) &&
    areDifferent(tasks.map(({ id }) => id)) &&
    areDifferent(tasks.flatMap(clipIdsOf)) &&
    accountIds.includes(owner.accountId) &&
    tasks.every((task, index) => task.ordinal === index) &&
    haveComeAbout(tasks) &&
    holdTogether(accounts, tasks)
  );
}

/** Each success has a result of its type, and what it continues or joins was made before it. */
function haveComeAbout(tasks: readonly StoredTask[]): boolean {
  const made = new Set<string>();
  return tasks.every((task) => {
    if (task.status !== "success") return true;
    const { continues, joins } = readBrief(task);
    const source = continues?.clipId ?? joins;
    const hasSource = source === null || made.has(source);
    for (const id of clipIdsOf(task)) made.add(id);
    const hasItsResult = Array.isArray(task.result) === (task.type !== "lyrics");
    return hasSource && hasItsResult;
  });
}

function clipIdsOf(task: StoredTask): string[] {
  return task.status === "success" && Array.isArray(task.result) ? task.result.map(({ id }) => id) : [];
}

/** A payment that has ended says when, and one that was completed has its invoice. */
function isWhole({ status, ended_at, invoice_id, method, card }: StoredPayment): boolean {
  return (
    (status === "pending") === (ended_at === null) &&
    (status === "completed") === (invoice_id !== null) &&
    (method === "card") === (card !== null)
  );
}

function areDifferent(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
