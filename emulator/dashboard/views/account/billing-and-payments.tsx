import { LONGEST_BILLING_LINE } from "../../../core/ranges.js";
import { linkTo } from "../../address.js";
import { call } from "../../api.js";
import { useResult } from "../../parts/calls.js";
import { Problem, Section } from "../../parts/display.js";
import { FieldsForm, OnDemand } from "../../parts/form.js";
import { formatAmount, formatCount } from "../../parts/format.js";
import { account, accountId } from "../../store.js";
import { AccountPage } from "./account.js";
import { AutoTopUpSection } from "./auto-top-up.js";
import { PaymentSection } from "./payments.js";
import { TopUpSection } from "./top-up.js";

export function BillingAndPaymentsView() {
  const { balance, suspended } = account.value ?? {};
  if (balance === undefined) return null;
  return (
    <AccountPage title="Billing and payments">
      <p>
        {formatAmount(balance.available, "credit")} available, {formatCount(balance.frozen)} frozen.{" "}
        <a href={linkTo("/account/statement")}>Statement</a>
        {suspended && (
          <>
            {" "}
            <strong>Suspended.</strong> <a href={linkTo("/account/accounts")}>End the suspension</a>
          </>
        )}
      </p>
      <div class="columns">
        <TopUpSection />
        <AutoTopUpSection />
      </div>
      <PaymentSection />
      <BillingSection />
    </AccountPage>
  );
}

const FIELDS = [
  { name: "name", label: "Company or legal name", required: true },
  { name: "address_line_1", label: "Address line 1", required: true },
  { name: "address_line_2", label: "Address line 2" },
  { name: "postal_code", label: "Postal code" },
  { name: "city", label: "City", required: true },
  { name: "country", label: "Country", required: true },
  { name: "tax_id", label: "Tax ID" },
] as const;

function BillingSection() {
  const { data, error } = useResult("GET /accounts/{account_id}/billing", accountId.value);
  const fields = FIELDS.map((field) => {
    return { ...field, value: data?.[field.name] ?? "", maxLength: LONGEST_BILLING_LINE };
  });
  const lines = fields.map(({ value }) => value).filter((line) => line !== "");
  return (
    <Section title="Billing information">
      <Problem error={error} />
      {data !== undefined && (
        <>
          <p>
            {lines.length === 0
              ? "None yet, so no invoice can be downloaded."
              : `${lines.join(", ")}. An invoice keeps the information that it was issued with.`}
          </p>
          <OnDemand
            form={
              <FieldsForm
                class="fields billing"
                submit="Save"
                fields={fields}
                onSubmit={(values) => call("PUT /accounts/{account_id}/billing", accountId.value, values)}
              />
            }
          >
            Edit
          </OnDemand>
        </>
      )}
    </Section>
  );
}
