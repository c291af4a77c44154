import { useState } from "preact/hooks";
import { ask, controlPlane } from "../../client/client.js";
import { account } from "../../live/store.js";
import { Act } from "../../parts/form.js";
import { shortId } from "../../parts/format.js";
import { Empty, Section } from "../../parts/section.js";
import type { ShownKey } from "./new-key.js";

export function Keys({ onCreated }: { onCreated(key: ShownKey): void }) {
  const { account_id: accountId = "", keys = [] } = account.value ?? {};
  const create = async () => {
    const made = await ask(
      controlPlane.POST("/_emulator/accounts/{account_id}/keys", {
        params: { path: { account_id: accountId } },
      }),
    );
    onCreated({ keyId: made.key_id, value: made.api_key, accountId });
  };
  return (
    <Section
      title="API keys"
      aside={
        <Act class="small" onAct={create}>
          Create a key
        </Act>
      }
    >
      {keys.length === 0 ? (
        <Empty>This account has no key: create one to use it from a program.</Empty>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">State</th>
                <th scope="col">
                  <span class="unseen">What can be done</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map(({ key_id: id, disabled }) => (
                <KeyRow key={id} accountId={accountId} keyId={id} disabled={disabled} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function KeyRow(props: { accountId: string; keyId: string; disabled: boolean }) {
  const { accountId, keyId, disabled } = props;
  const [isSure, setSure] = useState(false);
  const path = { account_id: accountId, key_id: keyId };
  const url = "/_emulator/accounts/{account_id}/keys/{key_id}";
  const change = async () => {
    await ask(controlPlane.PATCH(url, { params: { path }, body: { disabled: !disabled } }));
  };
  const remove = async () => {
    await ask(controlPlane.DELETE(url, { params: { path } }));
  };
  const name = shortId(keyId);
  return (
    <tr>
      <td>
        <code title={keyId}>{name}</code>
      </td>
      <td>
        <span class={`mark ${disabled ? "warn" : "good"}`}>{disabled ? "disabled" : "enabled"}</span>
        {disabled && <small> answered with 401 invalid_api_key</small>}
      </td>
      <td>
        <div class="buttons end">
          {isSure ? (
            <>
              <small>For ever?</small>
              <Act class="small danger" onAct={remove} label={`Delete key ${name} for ever`}>
                Delete
              </Act>
              <button type="button" class="small secondary" onClick={() => setSure(false)}>
                Keep
              </button>
            </>
          ) : (
            <>
              <Act onAct={change} label={`${disabled ? "Enable" : "Disable"} key ${name}`}>
                {disabled ? "Enable" : "Disable"}
              </Act>
              <button
                type="button"
                class="small secondary"
                aria-label={`Delete key ${name}`}
                onClick={() => setSure(true)}
              >
                Delete…
              </button>
            </>
          )}
        </div>
      </td>
    </tr>
  );
}
