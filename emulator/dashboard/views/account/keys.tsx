import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { LONGEST_KEY_NAME } from "../../../core/ranges.js";
import { type CreatedKey, createKey, deleteKey, getKeys, type Key, updateKey } from "../../api.js";
import { useCall, useData } from "../../parts/calls.js";
import { Button, CopyButton, Empty, Loading, Mark, Problem, Section, Time } from "../../parts/display.js";
import { Action } from "../../parts/form.js";
import { Table } from "../../parts/table.js";
import { accountId } from "../../store.js";

/** The value of a new key, in memory only, until it is confirmed: also while other views are open. */
export const newKey = signal<CreatedKey | null>(null);

const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

export function setNewKey(key: CreatedKey | null): void {
  newKey.value = key;
  if (key === null) removeEventListener("beforeunload", confirmLeaving);
  else addEventListener("beforeunload", confirmLeaving);
}

export function NewKeyPanel({ newKey }: { newKey: CreatedKey }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [newKey.key_id]);
  return (
    <article class="new-key" ref={panel} tabIndex={-1} aria-label="The new key">
      <p>
        <strong>The new key is ready.</strong> Copy it now: its value is not shown again.
      </p>
      <p class="secret">
        <code>{newKey.api_key}</code> <CopyButton text={newKey.api_key} label="Copy key" />
      </p>
      <Button onClick={() => setNewKey(null)}>Done</Button>
    </article>
  );
}

export function KeySection() {
  const { data } = useData(() => getKeys(accountId.value), accountId.value);
  const button = (
    <Action class="small" onAct={async () => setNewKey(await createKey(accountId.value))}>
      Create a key
    </Action>
  );
  return (
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
  );
}

/** Saved when the focus leaves it. */
function KeyName({ of: { key_id: keyId, name, last_four: end } }: { of: Key }) {
  const { error, run } = useCall();
  return (
    <>
      <input
        class="small"
        value={name}
        title={name}
        maxLength={LONGEST_KEY_NAME}
        placeholder="no name"
        aria-label={`Name of the key that ends in ${end}`}
        onChange={({ currentTarget: { value } }) =>
          void run(() => updateKey(accountId.value, keyId, { name: value.trim() }))
        }
      />
      <Problem error={error} />
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
  const [isConfirming, setConfirming] = useState(false);
  const label = name === "" ? `…${end}` : name;
  const change = disabled ? "Enable" : "Disable";
  if (isConfirming)
    return (
      <div class="buttons end">
        <small>Permanently?</small>
        <Action
          class="small danger"
          onAct={() => deleteKey(accountId.value, keyId)}
          aria-label={`Delete key ${label} permanently`}
        >
          Delete
        </Action>
        <Button onClick={() => setConfirming(false)}>Keep</Button>
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
      <Button aria-label={`Delete key ${label}`} onClick={() => setConfirming(true)}>
        Delete…
      </Button>
    </div>
  );
}
