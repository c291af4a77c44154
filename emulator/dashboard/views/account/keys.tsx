import { useContext } from "preact/hooks";
import { LONGEST_KEY_NAME } from "../../../core/ranges.js";
import { call, type Key } from "../../api.js";
import { useResult } from "../../parts/calls.js";
import { Button, Empty, Loading, Mark, Section, Time } from "../../parts/display.js";
import { Action, Close, FieldsForm, OnDemand } from "../../parts/form.js";
import { Table } from "../../parts/table.js";
import { accountId } from "../../store.js";
import { AccountPage, setNewKey } from "./account.js";

export function KeysView() {
  const { data } = useResult("GET /accounts/{account_id}/keys", accountId.value);
  const create = async () => {
    const id = accountId.value;
    setNewKey({ ...(await call("POST /accounts/{account_id}/keys", id)), account_id: id });
  };
  const button = (
    <Action class="small" onAct={create}>
      Create a key
    </Action>
  );
  return (
    <AccountPage title="Keys">
      <Section title="API keys" aside={button}>
        {data === undefined ? (
          <Loading what="the keys" />
        ) : data.keys.length === 0 ? (
          <Empty>This account has no key. Create one to use it from a program.</Empty>
        ) : (
          <Table
            columns={[
              ["Name", (key) => <KeyName of={key} />],
              [
                "Key",
                ({ key_id: id, last_four: end }) => (
                  <code class="whole" title={id}>
                    emu_…{end}
                  </code>
                ),
              ],
              ["Created (UTC)", ({ created_at: at }) => <Time at={at} />],
              ["Last used (UTC)", ({ last_used_at: at }) => (at === null ? "never" : <Time at={at} />)],
              ["State", ({ disabled }) => <KeyState disabled={disabled} />],
              [<span class="unseen">Actions</span>, (key) => <KeyActions of={key} />],
            ]}
            items={data.keys.toReversed()}
            keyOf={(key) => key.key_id}
          />
        )}
      </Section>
    </AccountPage>
  );
}

/** Changes a key of the chosen account. */
function update(keyId: string, changes: { name?: string; disabled?: boolean }): Promise<unknown> {
  return call("PATCH /accounts/{account_id}/keys/{key_id}", accountId.value, keyId, changes);
}

function KeyName({ of: { key_id: keyId, name, last_four: end } }: { of: Key }) {
  return (
    <>
      {name === "" ? <small>no name</small> : <span class="name">{name}</span>}{" "}
      <OnDemand
        class="small quiet"
        form={
          <FieldsForm
            submit="Save"
            fields={[{ name: "name", label: "Name", value: name, maxLength: LONGEST_KEY_NAME }]}
            onSubmit={(values) => update(keyId, { name: values.name.trim() })}
          />
        }
        aria-label={`Edit the name of the key that ends in ${end}`}
      >
        Edit
      </OnDemand>
    </>
  );
}

function KeyState({ disabled }: { disabled: boolean }) {
  if (!disabled) return <Mark tone="good">enabled</Mark>;
  return (
    <>
      <Mark tone="warn">disabled</Mark>
      <small> responds with 401 invalid_api_key</small>
    </>
  );
}

function KeyActions({ of: { key_id: keyId, disabled, name, last_four: end } }: { of: Key }) {
  const label = name === "" ? `…${end}` : name;
  const change = disabled ? "Enable" : "Disable";
  return (
    <div class="buttons end">
      <Action onAct={() => update(keyId, { disabled: !disabled })} aria-label={`${change} key ${label}`}>
        {change}
      </Action>
      <OnDemand form={<Deletion keyId={keyId} label={label} />} aria-label={`Delete key ${label}`}>
        Delete…
      </OnDemand>
    </div>
  );
}

function Deletion({ keyId, label }: { keyId: string; label: string }) {
  const close = useContext(Close);
  return (
    <div class="buttons end">
      <small>Permanently?</small>
      <Button onClick={() => close?.()}>Keep</Button>
      <Action
        class="small danger"
        onAct={() => call("DELETE /accounts/{account_id}/keys/{key_id}", accountId.value, keyId)}
        aria-label={`Delete key ${label} permanently`}
      >
        Delete
      </Action>
    </div>
  );
}
