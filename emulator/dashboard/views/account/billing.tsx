import { useState } from "preact/hooks";
import { ask, type Billing, controlPlane } from "../../client/client.js";
import { useAnswer } from "../../live/use-control.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { Problem, Section } from "../../parts/section.js";

const URL = "/_emulator/accounts/{account_id}/billing";

const FIELDS = [
  ["name", "Company or legal name", true],
  ["address_line_1", "Address line 1", true],
  ["address_line_2", "Address line 2", false],
  ["postal_code", "Postal code", false],
  ["city", "City", true],
  ["country", "Country", true],
  ["tax_id", "Tax id", false],
] as const;

type Name = (typeof FIELDS)[number][0];

export function BillingSection({ accountId }: { accountId: string }) {
  const params = { path: { account_id: accountId } };
  const { data, error } = useAnswer(() => ask(controlPlane.GET(URL, { params })), accountId);
  return (
    <Section title="Billing information">
      <p>Invoices are made out to it. Fields with * are required before any can be downloaded.</p>
      <Problem error={error} />
      {data !== undefined && <BillingForm key={JSON.stringify(data)} saved={data} params={params} />}
    </Section>
  );
}

function BillingForm({ saved, params }: { saved: Billing; params: { path: { account_id: string } } }) {
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({});
  const textOf = (name: Name) => typed[name] ?? saved[name] ?? "";
  const save = async () => {
    const body = {
      name: textOf("name"),
      address_line_1: textOf("address_line_1"),
      address_line_2: textOf("address_line_2"),
      postal_code: textOf("postal_code"),
      city: textOf("city"),
      country: textOf("country"),
      tax_id: textOf("tax_id"),
    };
    await ask(controlPlane.PUT(URL, { params, body }));
  };
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
