import { useState } from "preact/hooks";
import { ask, controlPlane } from "../../client/client.js";
import { account, overview } from "../../live/store.js";
import { CopyButton } from "../../parts/copy-button.js";
import { Field } from "../../parts/field.js";
import { Act, Form } from "../../parts/form.js";
import { formatAmount, formatCount } from "../../parts/format.js";
import { Section } from "../../parts/section.js";
import { setParam } from "../../place.js";
import { AutoTopUpSection } from "./auto-top-up.js";
import { BillingSection } from "./billing.js";
import { Keys } from "./keys.js";
import { NewKey, type ShownKey } from "./new-key.js";
import { Payments } from "./payments.js";
import { TopUpSection } from "./top-up.js";

/** What the service's own dashboard does for an account: keys, credits, and the papers that go with them. */
export function AccountView() {
  const [shownKey, setShownKey] = useState<ShownKey | null>(null);
  const chosen = account.value;
  if (chosen === null) return null;
  const { account_id: id, balance, suspended } = chosen;
  return (
    <div key={id}>
      <div class="heading">
        <h1>Account</h1>
        <span>
          <code>{id}</code> <CopyButton text={id} label="Copy id" />
        </span>
      </div>
      <p>
        {formatAmount(balance.available, "credit")} available, {formatCount(balance.frozen)} frozen.
        {suspended && <strong> Suspended.</strong>}
      </p>
      {shownKey !== null && <NewKey shown={shownKey} onDone={() => setShownKey(null)} />}
      <Keys onCreated={setShownKey} />
      <div class="columns">
        <TopUpSection accountId={id} />
        <AutoTopUpSection accountId={id} />
      </div>
      <Payments accountId={id} />
      <div class="columns">
        <BillingSection accountId={id} />
        <div>
          <Section title="Suspension">
            <p>A suspended account creates no tasks (403 account_suspended); everything else goes on.</p>
            <Act onAct={() => suspend(id, !suspended)}>
              {suspended ? "Lift the suspension" : "Suspend this account"}
            </Act>
          </Section>
          <Accounts onCreated={setShownKey} />
        </div>
      </div>
    </div>
  );
}

async function suspend(accountId: string, suspended: boolean): Promise<void> {
  await ask(
    controlPlane.PATCH("/_emulator/accounts/{account_id}", {
      params: { path: { account_id: accountId } },
      body: { suspended },
    }),
  );
}

function Accounts({ onCreated }: { onCreated(key: ShownKey): void }) {
  const [credits, setCredits] = useState("100");
  const count = overview.value?.accounts.length ?? 1;
  const create = async () => {
    const made = await ask(controlPlane.POST("/_emulator/accounts", { body: { credits: Number(credits) } }));
    onCreated({ keyId: made.key_id, value: made.api_key, accountId: made.account_id });
    setParam("account", made.account_id);
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
        <Field
          label="Credits to begin with"
          type="number"
          min={0}
          step={1}
          required
          value={credits}
          onChange={setCredits}
        />
      </Form>
    </Section>
  );
}
