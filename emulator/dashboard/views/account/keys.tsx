import { LONGEST_KEY_NAME } from "../../../core/ranges.js";
import { addKey, deleteKey, getKeys, type Key, updateKey } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { Field } from "../../parts/controls.js";
import { Button, Empty, Loading, Mark, Section, Time } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Action, Form, OnDemand } from "../../parts/form.js";
import { Table } from "../../parts/table.js";
import { accountId } from "../../store.js";
import { AccountPage, setNewKey } from "./account.js";

export function KeysView() {
  const { data } = useData(() => getKeys(accountId.value), accountId.value);
  const button = (
    <Action class="small" onAct={async () => setNewKey(await addKey(accountId.value))}>
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

function KeyName({ of }: { of: Key }) {
  return (
    <>
      {of.name === "" ? <small>no name</small> : of.name}{" "}
      <OnDemand
        class="small quiet"
        form={(close) => <NameForm of={of} close={close} />}
        aria-label={`Edit the name of the key that ends in ${of.last_four}`}
      >
        Edit
      </OnDemand>
    </>
  );
}

function NameForm({ of: { key_id: keyId, name }, close }: { of: Key; close(): void }) {
  const { values, bind } = useFields({ name });
  const save = () => updateKey(accountId.value, keyId, { name: values.name.trim() });
  return (
    <Form submit="Save" onSubmit={save} close={close}>
      <Field label="Name" maxLength={LONGEST_KEY_NAME} {...bind("name")} />
    </Form>
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
  const confirmation = (close: () => void) => (
    <div class="buttons end">
      <small>Permanently?</small>
      <Button onClick={close}>Keep</Button>
      <Action
        class="small danger"
        onAct={() => deleteKey(accountId.value, keyId)}
        aria-label={`Delete key ${label} permanently`}
      >
        Delete
      </Action>
    </div>
  );
  return (
    <div class="buttons end">
      <Action
        onAct={() => updateKey(accountId.value, keyId, { disabled: !disabled })}
        aria-label={`${change} key ${label}`}
      >
        {change}
      </Action>
      <OnDemand form={confirmation} aria-label={`Delete key ${label}`}>
        Delete…
      </OnDemand>
    </div>
  );
}
