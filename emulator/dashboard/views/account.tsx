import { useEffect, useRef, useState } from "preact/hooks";
import { setParam } from "../address.js";
import { createAccount, createKey, deleteKey, updateAccount, updateKey } from "../api.js";
import { useFields } from "../parts/calls.js";
import { Action, Form, NumberField } from "../parts/controls.js";
import { Button, CopyButton, Empty, Mark, Section, Table } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import { account, overview } from "../store.js";
import { AutoTopUpSection } from "./auto-top-up.js";
import { BillingSection } from "./billing.js";
import { PaymentSection, TopUpSection } from "./payments.js";

/** What the service's own dashboard offers for an account: keys, credits, payments and billing. */
export function AccountView() {
  const [newKey, setNewKey] = useState<NewKey | null>(null);
  if (account.value === null) return null;
  const { account_id: id, balance, suspended } = account.value;
  return (
    <div key={id}>
      <div class="heading">
        <h1>Account</h1>
        <span>
          <code>{id}</code> <CopyButton text={id} label="Copy ID" />
        </span>
      </div>
      <p>
        {formatAmount(balance.available, "credit")} available, {formatCount(balance.frozen)} frozen.
        {suspended && <strong> Suspended.</strong>}
      </p>
      {newKey !== null && <NewKeyPanel newKey={newKey} onDone={() => setNewKey(null)} />}
      <KeySection onCreated={setNewKey} />
      <div class="columns">
        <TopUpSection accountId={id} />
        <AutoTopUpSection accountId={id} />
      </div>
      <PaymentSection accountId={id} />
      <div class="columns">
        <BillingSection accountId={id} />
        <div>
          <Section title="Suspension">
            <p>A suspended account creates no tasks (403 account_suspended). Everything else works.</p>
            <Action onAct={() => updateAccount(id, { suspended: !suspended })}>
              {suspended ? "End the suspension" : "Suspend this account"}
            </Action>
          </Section>
          <NewAccountSection onCreated={setNewKey} />
        </div>
      </div>
    </div>
  );
}

/** Kept in memory only, until it is closed. */
interface NewKey {
  id: string;
  value: string;
}

function NewKeyPanel({ newKey, onDone }: { newKey: NewKey; onDone(): void }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [newKey.id]);
  return (
    <article class="new-key" ref={panel} tabIndex={-1} aria-label="The new key">
      <p>
        <strong>Key {shortId(newKey.id)} is ready.</strong> Copy it now: its value is not shown again.
      </p>
      <p class="secret">
        <code>{newKey.value}</code> <CopyButton text={newKey.value} label="Copy key" />
      </p>
      <Button onClick={onDone}>Done</Button>
    </article>
  );
}

function KeySection({ onCreated }: { onCreated(key: NewKey): void }) {
  const { account_id: accountId = "", keys = [] } = account.value ?? {};
  const create = async () => {
    const { key_id: id, api_key: value } = await createKey(accountId);
    onCreated({ id, value });
  };
  const button = (
    <Action class="small" onAct={create}>
      Create a key
    </Action>
  );
  return (
    <Section title="API keys" aside={button}>
      {keys.length === 0 ? (
        <Empty>This account has no key. Create one to use it from a program.</Empty>
      ) : (
        <Table
          columns={[["Key"], ["State"], [<span class="unseen">Actions</span>]]}
          rows={keys.map(({ key_id: id, disabled }) => [
            id,
            <code title={id}>{shortId(id)}</code>,
            <>
              <Mark tone={disabled ? "warn" : "good"}>{disabled ? "disabled" : "enabled"}</Mark>
              {disabled && <small> responds with 401 invalid_api_key</small>}
            </>,
            <KeyActions accountId={accountId} keyId={id} disabled={disabled} />,
          ])}
        />
      )}
    </Section>
  );
}

function KeyActions(props: { accountId: string; keyId: string; disabled: boolean }) {
  const { accountId, keyId, disabled } = props;
  const [isConfirming, setConfirming] = useState(false);
  const name = shortId(keyId);
  const change = disabled ? "Enable" : "Disable";
  if (isConfirming)
    return (
      <div class="buttons end">
        <small>Permanently?</small>
        <Action
          class="small danger"
          onAct={() => deleteKey(accountId, keyId)}
          aria-label={`Delete key ${name} permanently`}
        >
          Delete
        </Action>
        <Button onClick={() => setConfirming(false)}>Keep</Button>
      </div>
    );
  return (
    <div class="buttons end">
      <Action
        onAct={() => updateKey(accountId, keyId, { disabled: !disabled })}
        aria-label={`${change} key ${name}`}
      >
        {change}
      </Action>
      <Button aria-label={`Delete key ${name}`} onClick={() => setConfirming(true)}>
        Delete…
      </Button>
    </div>
  );
}

function NewAccountSection({ onCreated }: { onCreated(key: NewKey): void }) {
  const { values, bind } = useFields({ credits: "100" });
  const count = overview.value?.accounts.length ?? 1;
  const create = async () => {
    const created = await createAccount({ credits: Number(values.credits) });
    onCreated({ id: created.key_id, value: created.api_key });
    setParam("account", created.account_id);
  };
  return (
    <Section title="Another account">
      <p>
        {count === 1
          ? "There is one account."
          : `There are ${count} accounts; choose one at the top of the page.`}{" "}
        Accounts see only their own tasks and clips.
      </p>
      <Form submit="Create an account" onSubmit={create}>
        <NumberField label="Starting credits" min={0} {...bind("credits")} />
      </Form>
    </Section>
  );
}
