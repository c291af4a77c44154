import { LONGEST_BILLING_LINE } from "../../../core/ranges.js";
import { type Billing, getBilling, setBilling } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { Field } from "../../parts/controls.js";
import { Problem, Section } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Form } from "../../parts/form.js";
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
  return (
    <Section title="Billing information">
      <p>
        The buyer on later invoices. Fields with * are required before an invoice can be downloaded, and an
        invoice keeps what it was issued with.
      </p>
      <Problem error={error} />
      {data !== undefined && <BillingForm saved={data} />}
    </Section>
  );
}

function BillingForm({ saved }: { saved: Billing }) {
  const initial = FIELDS.map(([name]) => [name, saved[name] ?? ""]);
  const { values, bind } = useFields<Record<Name, string>>(Object.fromEntries(initial));
  const isChanged = FIELDS.some(([name]) => values[name] !== (saved[name] ?? ""));
  return (
    <Form submit="Save" onSubmit={() => setBilling(accountId.value, values)}>
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
      <output>{saved.name !== null && !isChanged && "Saved."}</output>
    </Form>
  );
}
