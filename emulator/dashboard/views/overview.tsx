import { linkTo } from "../address.js";
import type { LedgerEntry } from "../api.js";
import { Code, Empty, Section, Time } from "../parts/display.js";
import { formatAmount, formatCount, formatUsd, shortId } from "../parts/format.js";
import { Cell, Rows } from "../parts/rows.js";
import { account, balances, changeOf, overview } from "../store.js";
import { BalanceChart } from "./balance-chart.js";

/** The credits of the account, their history, and how to connect a program. */
export function OverviewView() {
  const service = overview.value?.service;
  if (account.value === null || service === undefined) return null;
  const { balance, usage, suspended } = account.value;
  const { available, frozen } = balance;
  const { tasks_created: created, credits_topped_up: toppedUp } = usage;
  const entries = balances.value.length;
  return (
    <>
      <h1 class="unseen">Overview</h1>
      <dl class="figures">
        <Figure
          name="Available"
          value={available}
          note={`${formatUsd(available / 100)} to spend on new tasks`}
        />
        <Figure name="Frozen" value={frozen} note="held for unfinished tasks" />
        <Figure name="Settled" value={toppedUp - available - frozen} note="spent on tasks that succeeded" />
        <Figure name="Topped up" value={toppedUp} note="bought or granted in total" />
        <Figure name="Tasks" value={created} note="created, of every status" />
      </dl>
      {suspended && (
        <p class="problem">
          This account is suspended: it creates no tasks (403). <a href={linkTo("/account")}>Change that</a>
        </p>
      )}
      <Section title="Credits over time">
        {entries < 2 ? (
          <Empty>
            The chart starts with the second change of credits.{" "}
            <a href={linkTo("/tasks/new")}>Submit a task</a> or <a href={linkTo("/account")}>top up</a>.
          </Empty>
        ) : (
          <BalanceChart />
        )}
      </Section>
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

function Figure({ name, value, note }: { name: string; value: number; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{formatCount(value)}</strong> <small>{note}</small>
      </dd>
    </div>
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
  const all = balances.value;
  if (all.length === 0) {
    return (
      <Empty>
        No credits have moved yet. <a href={linkTo("/account")}>Top up</a> to start.
      </Empty>
    );
  }
  return (
    <Rows
      label="Statement"
      class="statement"
      columns={["Time (UTC)", "Kind", "Credits", "Available", "Frozen"]}
      count={all.length}
      row={(index) => {
        const after = all[all.length - 1 - index];
        if (after === undefined) return null;
        const { entry, available, frozen } = after;
        const { at, kind, task_id: taskId } = entry;
        return (
          <>
            <Cell>
              <Time at={at} />
            </Cell>
            <Cell>
              {KINDS[kind]}{" "}
              {taskId !== null && <a href={linkTo(`/tasks/${taskId}`)}>task {shortId(taskId)}</a>}
            </Cell>
            <Cell class="number">
              <Change entry={entry} />
            </Cell>
            <Cell class="number">{formatCount(available)}</Cell>
            <Cell class="number">{formatCount(frozen)}</Cell>
          </>
        );
      }}
    />
  );
}

function Change({ entry }: { entry: LedgerEntry }) {
  const change = changeOf(entry);
  if (change === 0) return <span title="Frozen credits, now spent">{formatCount(entry.credits)}</span>;
  return (
    <span class={change > 0 ? "gain" : "loss"}>
      {change > 0 ? "+" : "−"}
      {formatCount(Math.abs(change))}
    </span>
  );
}
