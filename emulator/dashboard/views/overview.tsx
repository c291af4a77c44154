import { linkTo } from "../address.js";
import type { LedgerEntry } from "../api.js";
import { Code, Empty, Loading, Section, Time } from "../parts/display.js";
import { formatAmount, formatCount, formatUsd, shortId } from "../parts/format.js";
import { Rows } from "../parts/rows.js";
import { account, balances, changeOf, isLedgerLoaded, overview } from "../store.js";
import { BalanceSection } from "./account/balance-chart.js";

/** The credits of the account, their history, and how to connect a program. */
export function OverviewView() {
  const service = overview.value?.service;
  if (account.value === null || service === undefined) return null;
  const { balance, usage, suspended } = account.value;
  const { available, frozen } = balance;
  const { tasks_created: created, credits_topped_up: toppedUp } = usage;
  const settled = toppedUp - available - frozen;
  const entries = balances.value.length;
  const figures = [
    ["Available", available, `${formatUsd(available / 100)} to spend on new tasks`],
    ["Frozen", frozen, "held for unfinished tasks", linkTo("/tasks", { status: "unfinished" })],
    ["Settled", settled, "spent on tasks that succeeded", linkTo("/tasks", { status: "success" })],
    ["Topped up", toppedUp, "bought or granted in total"],
    ["Tasks", created, "created, of every status", linkTo("/tasks")],
  ] as const;
  return (
    <>
      <h1 class="unseen">Overview</h1>
      <dl class="figures">
        {figures.map(([name, value, note, list]) => (
          <div key={name}>
            <dt>{list === undefined ? name : <a href={list}>{name}</a>}</dt>
            <dd>
              <strong>{formatCount(value)}</strong> <small>{note}</small>
            </dd>
          </div>
        ))}
      </dl>
      {suspended && (
        <p class="problem">
          This account is suspended: it creates no tasks (403). <a href={linkTo("/account")}>Change that</a>
        </p>
      )}
      <BalanceSection />
      <Section title="Statement" aside={<small>{formatAmount(entries, "movement")}</small>}>
        <Statement />
      </Section>
      <Section title="Connect your program">
        <p>
          It needs this address and a key. The emulator printed its first key at the start;{" "}
          <a href={linkTo("/account")}>create another one</a> at any time.
        </p>
        <Code
          label="Environment variables"
          text={`export ASYNC_MUSIC_BASE_URL=${service}\nexport ASYNC_MUSIC_API_KEY=emu_…`}
        />
      </Section>
    </>
  );
}

const KINDS: Readonly<Record<LedgerEntry["kind"], string>> = {
  top_up: "Top-up",
  freeze: "Frozen for",
  settle: "Settled for",
  refund: "Refunded for",
};

/** Every ledger entry, newest first. */
function Statement() {
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
  return <span class={change > 0 ? "gain" : "loss"}>{`${sign}${formatCount(Math.abs(change))}`}</span>;
}
