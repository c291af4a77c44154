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
  const valueOf = (name: Name) => typed[name] ?? saved[name] ?? "";
  const save = async () => {
    const body = {
      name: valueOf("name"),
      address_line_1: valueOf("address_line_1"),
      address_line_2: valueOf("address_line_2"),
      postal_code: valueOf("postal_code"),
      city: valueOf("city"),
      country: valueOf("country"),
      tax_id: valueOf("tax_id"),
    };
    await ask(controlPlane.PUT(URL, { params, body }));
  };
  return (
    <Form submit="Save" onSubmit={save}>
      <div class="fields">
        {FIELDS.map(([name, label, required]) => (
          <Field
            key={name}
            label={label}
            required={required}
            value={valueOf(name)}
            onChange={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </div>
      <p role="status" class="saved">
        {saved.name !== null && Object.keys(typed).length === 0 && "Saved."}
      </p>
    </Form>
  );
}
