import { account, ledger, overview } from "../../live/store.js";
import { Code } from "../../parts/code.js";
import { formatAmount, formatCount, formatUsd } from "../../parts/format.js";
import { Empty, Section } from "../../parts/section.js";
import { linkTo } from "../../place.js";
import { BalanceChart } from "./balance-chart.js";
import { balances } from "./balances.js";
import { Statement } from "./statement.js";

/** What the account has, where it went, and how to reach the service. */
export function OverviewView() {
  const chosen = account.value;
  const seen = overview.value;
  if (chosen === null || seen === null) return null;
  const { available, frozen } = chosen.balance;
  const { tasks_created: created, credits_topped_up: toppedUp } = chosen.usage;
  return (
    <>
      <h1 class="unseen">Overview</h1>
      <dl class="figures">
        <Figure
          name="Available"
          value={available}
          note={`${formatUsd(available / 100)} to spend on new tasks`}
        />
        <Figure name="Frozen" value={frozen} note="held for tasks in flight" />
        <Figure name="Settled" value={toppedUp - available - frozen} note="spent on tasks that succeeded" />
        <Figure name="Topped up" value={toppedUp} note="bought or given, in all" />
        <Figure name="Tasks" value={created} note="created, of every status" />
      </dl>
      {chosen.suspended && (
        <p class="problem">
          This account is suspended: it creates no tasks (403). <a href={linkTo("/account")}>Lift that</a>
        </p>
      )}
      <Section title="Credits over time">
        {balances.value.length < 2 ? (
          <Empty>
            A curve needs two movements of credits. <a href={linkTo("/tasks/new")}>Submit a task</a> or{" "}
            <a href={linkTo("/account")}>top up</a>.
          </Empty>
        ) : (
          <BalanceChart />
        )}
      </Section>
      <Section title="Statement" aside={<small>{formatAmount(ledger.value.length, "movement")}</small>}>
        <Statement />
      </Section>
      <Section title="Connect your program">
        <p>
          It needs this address and a key. The key that the emulator started with stands in its terminal;{" "}
          <a href={linkTo("/account")}>create another</a> at any time.
        </p>
        <Code
          label="Environment variables"
          text={`export ASYNC_MUSIC_BASE_URL=${seen.service}\nexport ASYNC_MUSIC_API_KEY=emu_…`}
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
