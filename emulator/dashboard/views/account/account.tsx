import { RANGES } from "../../../core/ranges.js";
import { linkTo, setParam } from "../../address.js";
import { createAccount, updateAccount } from "../../api.js";
import { NumberField } from "../../parts/controls.js";
import { CopyButton, Section } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Action, Form } from "../../parts/form.js";
import { formatAmount, formatCount } from "../../parts/format.js";
import { account, overview } from "../../store.js";
import { AutoTopUpSection } from "./auto-top-up.js";
import { BillingSection } from "./billing.js";
import { KeySection, NewKeyPanel, newKey, setNewKey } from "./keys.js";
import { PaymentSection } from "./payments.js";
import { TopUpSection } from "./top-up.js";

/** What the service's own dashboard offers for an account: keys, credits, payments and billing. */
export function AccountView() {
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
        {suspended && <strong> Suspended.</strong>} <a href={linkTo("/account/statement")}>Statement</a>
      </p>
      {newKey.value !== null && <NewKeyPanel newKey={newKey.value} />}
      <KeySection />
      <div class="columns">
        <TopUpSection />
        <AutoTopUpSection />
      </div>
      <PaymentSection />
      <div class="columns">
        <BillingSection />
        <div>
          <Section title="Suspension">
            <p>A suspended account creates no tasks (403 account_suspended). Everything else works.</p>
            <Action onAct={() => updateAccount(id, { suspended: !suspended })}>
              {suspended ? "End the suspension" : "Suspend this account"}
            </Action>
          </Section>
          <NewAccountSection />
        </div>
      </div>
    </div>
  );
}

function NewAccountSection() {
  const { values, bind } = useFields({ credits: "100" });
  const count = overview.value?.accounts.length ?? 1;
  const create = async () => {
    const created = await createAccount({ credits: Number(values.credits) });
    setNewKey(created);
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
        <NumberField label="Starting credits" range={RANGES.credits} {...bind("credits")} />
      </Form>
    </Section>
  );
}
