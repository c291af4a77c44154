import type { LedgerEntry } from "../../client/client.js";
import { formatCount, shortId } from "../../parts/format.js";
import { Cell, Rows } from "../../parts/rows.js";
import { Empty } from "../../parts/section.js";
import { Time } from "../../parts/time.js";
import { linkTo } from "../../place.js";
import { balances, changeOf } from "./balances.js";

const WORDS: Readonly<Record<LedgerEntry["kind"], string>> = {
  top_up: "Top-up",
  freeze: "Frozen for",
  settle: "Settled for",
  refund: "Refunded for",
};

/** Every movement of credits, newest first. */
export function Statement() {
  const all = balances.value;
  if (all.length === 0) {
    return (
      <Empty>
        No credits have moved yet. <a href={linkTo("/account")}>Top up</a> to begin.
      </Empty>
    );
  }
  return (
    <Rows
      label="Statement"
      class="statement"
      columns={["Time (UTC)", "What", "Credits", "Available", "Frozen"]}
      count={all.length}
      row={(index) => {
        const after = all[all.length - 1 - index];
        if (after === undefined) return null;
        const { entry, available, frozen } = after;
        return (
          <>
            <Cell>
              <Time at={entry.at} />
            </Cell>
            <Cell>
              {WORDS[entry.kind]}{" "}
              {entry.task_id !== null && (
                <a href={linkTo(`/tasks/${entry.task_id}`)}>task {shortId(entry.task_id)}</a>
              )}
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
  if (change === 0) return <span title="The held credits are spent">{formatCount(entry.credits)}</span>;
  return (
    <span class={change > 0 ? "gain" : "loss"}>
      {change > 0 ? "+" : "−"}
      {formatCount(Math.abs(change))}
    </span>
  );
}
