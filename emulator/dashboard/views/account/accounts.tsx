import { linkWith, setParam } from "../../address.js";
import { type AccountSummary, call } from "../../api.js";
import { refreshOverview } from "../../follow.js";
import { Mark, Section } from "../../parts/display.js";
import { Action, FieldsForm, OnDemand } from "../../parts/form.js";
import { formatCount } from "../../parts/format.js";
import { Table } from "../../parts/table.js";
import { accountId, overview } from "../../store.js";
import { accountName } from "../scenarios/scope.js";
import { AccountPage, setNewKey } from "./account.js";

export function AccountsView() {
  return (
    <AccountPage title="Accounts">
      <Section title="All accounts">
        <p>
          Each account has its own credits, keys, tasks and clips. A suspended account creates no tasks (403
          account_suspended); everything else works.
        </p>
        <Table
          columns={[
            ["Account", ({ account_id: id }) => <Choice id={id} />, "wide"],
            [
              "State",
              ({ suspended }) =>
                suspended ? <Mark tone="warn">suspended</Mark> : <Mark tone="good">active</Mark>,
            ],
            ["Available", ({ balance }) => formatCount(balance.available), "number"],
            ["Frozen", ({ balance }) => formatCount(balance.frozen), "number"],
            ["Tasks", ({ usage }) => formatCount(usage.tasks_created), "number"],
            ["Keys", ({ keys }) => formatCount(keys.length), "number"],
            [<span class="unseen">Actions</span>, (each) => <Suspension of={each} />, "number"],
          ]}
          items={overview.value?.accounts ?? []}
          keyOf={({ account_id: id }) => id}
        />
        <OnDemand
          form={
            <FieldsForm
              submit="Create"
              fields={[{ name: "credits", label: "Starting credits", value: 100 }]}
              onSubmit={create}
            />
          }
        >
          Create an account…
        </OnDemand>
      </Section>
    </AccountPage>
  );
}

function Choice({ id }: { id: string }) {
  const isChosen = id === accountId.value;
  return (
    <>
      <a href={linkWith("account", id)} {...(isChosen && { "aria-current": "true" as const })}>
        {accountName(id)}
      </a>{" "}
      <code>{id}</code> {isChosen && <small>chosen</small>}
    </>
  );
}

function Suspension({ of: { account_id: id, suspended } }: { of: AccountSummary }) {
  return (
    <Action
      onAct={() => call("PATCH /accounts/{account_id}", id, { suspended: !suspended })}
      aria-label={`${suspended ? "End the suspension of" : "Suspend"} ${accountName(id)}`}
    >
      {suspended ? "End the suspension" : "Suspend"}
    </Action>
  );
}

async function create({ credits }: { credits: string }): Promise<void> {
  const created = await call("POST /accounts", { credits: Number(credits) });
  setNewKey(created);
  // Without the new account, the page would say that it does not exist.
  await refreshOverview();
  setParam("account", created.account_id);
}
