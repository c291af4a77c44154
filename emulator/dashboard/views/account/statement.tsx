import { linkTo } from "../../address.js";
import type { LedgerEntry } from "../../api.js";
import { Empty, Figures, Loading, Section, Time } from "../../parts/display.js";
import { formatAmount, formatCount, formatUsd, shortId } from "../../parts/format.js";
import { Rows } from "../../parts/rows.js";
import { account, balances, changeOf, isLedgerLoaded } from "../../store.js";
import { AccountPage } from "./account.js";
import { BalanceSection } from "./balance-chart.js";

/** The credits of the account, and their history. */
export function StatementView() {
  if (account.value === null) return null;
  const { balance, usage } = account.value;
  const { available, frozen } = balance;
  const { tasks_created: created, credits_topped_up: toppedUp } = usage;
  const figures = [
    ["Available", available, `${formatUsd(available / 100)} to spend on new tasks`],
    ["Frozen", frozen, "held for unfinished tasks", linkTo("/tasks", { status: "unfinished" })],
    [
      "Settled",
      toppedUp - available - frozen,
      "spent on tasks that succeeded",
      linkTo("/tasks", { status: "success" }),
    ],
    ["Topped up", toppedUp, "bought or granted in total"],
    ["Tasks", created, "created, of every status", linkTo("/tasks")],
  ] as const;
  return (
    <AccountPage title="Statement">
      <Figures of={figures} />
      <BalanceSection />
      <Section title="Movements" aside={<small>{formatAmount(balances.value.length, "movement")}</small>}>
        <Movements />
      </Section>
    </AccountPage>
  );
}

const KINDS: Readonly<Record<LedgerEntry["kind"], string>> = {
  top_up: "Top-up",
  freeze: "Frozen for",
  settle: "Settled for",
  refund: "Refunded for",
};

/** Every ledger entry, newest first. */
function Movements() {
  if (!isLedgerLoaded.value) return <Loading what="the statement" />;
  if (balances.value.length === 0)
    return (
      <Empty>
        No credits have moved yet. <a href={linkTo("/account")}>Top up</a> to start.
      </Empty>
    );
  return (
    <Rows
      label="Statement"
      keyOf={({ index }) => index}
      columns={[
        ["Time (UTC)", ({ entry }) => <Time at={entry.at} />],
        ["Kind", ({ entry }) => <Kind entry={entry} />],
        ["Credits", ({ entry }) => <Change entry={entry} />, "number"],
        ["Available", ({ available }) => formatCount(available), "number"],
        ["Frozen", ({ frozen }) => formatCount(frozen), "number"],
      ]}
      items={balances.value}
    />
  );
}

function Kind({ entry: { kind, task_id: taskId } }: { entry: LedgerEntry }) {
  if (taskId === null) return KINDS[kind];
  return (
    <>
      {KINDS[kind]} <a href={linkTo(`/tasks/${taskId}`)}>task {shortId(taskId)}</a>
    </>
  );
}

function Change({ entry }: { entry: LedgerEntry }) {
  const change = changeOf(entry);
  if (change === 0) return <span title="Frozen credits, now spent">{formatCount(entry.credits)}</span>;
  const sign = change > 0 ? "+" : "−";
  return <span class={change > 0 ? "gain" : ""}>{`${sign}${formatCount(Math.abs(change))}`}</span>;
}
