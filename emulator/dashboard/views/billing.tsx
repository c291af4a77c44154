import { useState } from "preact/hooks";
import { type Billing, getBilling, setBilling } from "../api.js";
import { useData } from "../parts/calls.js";
import { Field, Form } from "../parts/controls.js";
import { Problem, Section } from "../parts/display.js";

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

export function BillingSection({ accountId }: { accountId: string }) {
  const { data, error } = useData(() => getBilling(accountId), accountId);
  return (
    <Section title="Billing information">
      <p>The buyer on invoices. Fields with * are required before an invoice can be downloaded.</p>
      <Problem error={error} />
      {data !== undefined && <BillingForm key={JSON.stringify(data)} saved={data} accountId={accountId} />}
    </Section>
  );
}

function BillingForm({ saved, accountId }: { saved: Billing; accountId: string }) {
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({});
  const textOf = (name: Name) => typed[name] ?? saved[name] ?? "";
  const save = () =>
    setBilling(accountId, {
      name: textOf("name"),
      address_line_1: textOf("address_line_1"),
      address_line_2: textOf("address_line_2"),
      postal_code: textOf("postal_code"),
      city: textOf("city"),
      country: textOf("country"),
      tax_id: textOf("tax_id"),
    });
  return (
    <Form submit="Save" onSubmit={save}>
      <div class="fields billing">
        {FIELDS.map(([name, label, required]) => (
          <Field
            key={name}
            label={label}
            required={required}
            value={textOf(name)}
            onChange={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </div>
      <output>{saved.name !== null && Object.keys(typed).length === 0 && "Saved."}</output>
    </Form>
  );
}
