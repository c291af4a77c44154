import { LONGEST_BILLING_LINE } from "../../../core/ranges.js";
import { type BillingDetails, getBilling, setBilling } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { Field } from "../../parts/controls.js";
import { Problem, Section } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Form, OnDemand } from "../../parts/form.js";
import { accountId } from "../../store.js";

const FIELDS = [
  ["name", "Company or legal name", true],
  ["address_line_1", "Address line 1", true],
  ["address_line_2", "Address line 2", false],
  ["postal_code", "Postal code", false],
  ["city", "City", true],
  ["country", "Country", true],
  ["tax_id", "Tax ID", false],
] as const;

type Name = (typeof FIELDS)[number][0];

export function BillingSection() {
  const { data, error } = useData(() => getBilling(accountId.value), accountId.value);
  const lines = FIELDS.map(([name]) => data?.[name] ?? "").filter((line) => line !== "");
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
          <OnDemand form={(close) => <BillingForm saved={data} close={close} />}>Edit</OnDemand>
        </>
      )}
    </Section>
  );
}

function BillingForm({ saved, close }: { saved: BillingDetails; close(): void }) {
  const initial = FIELDS.map(([name]) => [name, saved[name] ?? ""]);
  const { values, bind } = useFields<Record<Name, string>>(Object.fromEntries(initial));
  return (
    <Form submit="Save" onSubmit={() => setBilling(accountId.value, values)} close={close}>
      <div class="fields billing">
        {FIELDS.map(([name, label, required]) => (
          <Field
            key={name}
            label={label}
            required={required}
            maxLength={LONGEST_BILLING_LINE}
            {...bind(name)}
          />
        ))}
      </div>
    </Form>
  );
}
