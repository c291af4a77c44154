import { useState } from "preact/hooks";
import { USD_PER_CREDIT } from "../../../../src/contract/service.js";
import { RANGES } from "../../../core/ranges.js";
import { call, type Payment } from "../../api.js";
import { Field, NumberField } from "../../parts/controls.js";
import { Section } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Form } from "../../parts/form.js";
import { formatAmount } from "../../parts/format.js";
import { accountId } from "../../store.js";
import { METHODS, RESULTS } from "./payments.js";

type TopUp = { usd: string; method: "card" | "crypto"; outcome: Payment["status"] };

export function TopUpSection() {
  const { values, bind } = useFields<TopUp>({ usd: "10", method: "card", outcome: "completed" });
  const [payment, setPayment] = useState<Payment | null>(null);
  const usd = Number(values.usd);
  const [least, most] = RANGES.usd;
  const credits = usd >= least && usd <= most ? Math.round(usd / USD_PER_CREDIT) : null;
  const submit = async () => {
    setPayment(null);
    setPayment(await call("POST /accounts/{account_id}/top-ups", accountId.value, { ...values, usd }));
  };
  return (
    <Section title="Top up">
      <p>1 credit is {USD_PER_CREDIT} USD. Nothing here is real money.</p>
      <Form
        submit={credits === null ? "Buy credits" : `Buy ${formatAmount(credits, "credit")}`}
        onSubmit={submit}
      >
        <div class="fields">
          <NumberField label="US dollars" step={0.01} {...bind("usd")} />
          <Field label="Pay by" of={METHODS} {...bind("method")} />
          <Field label="Result" of={RESULTS} {...bind("outcome")} />
        </div>
        <p class="hint">
          {values.method === "card"
            ? "The card of a completed payment is saved for the automatic top-up."
            : "The automatic top-up never uses cryptocurrency."}
        </p>
      </Form>
      <output>
        {payment !== null &&
          `Payment ${payment.status}: ${formatAmount(payment.credits, "credit")} by ${payment.method}.`}
      </output>
    </Section>
  );
}
