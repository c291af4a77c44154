import { useState } from "preact/hooks";
import { USD_PER_CREDIT } from "../../../../src/contract/service.js";
import { ask, controlPlane, type Payment } from "../../client/client.js";
import { Choice, Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { formatAmount } from "../../parts/format.js";
import { Section } from "../../parts/section.js";

export function TopUpSection({ accountId }: { accountId: string }) {
  const [usd, setUsd] = useState("10");
  const [method, setMethod] = useState("card");
  const [outcome, setOutcome] = useState("completed");
  const [made, setMade] = useState<Payment | null>(null);
  const credits = Math.round(Number(usd) / USD_PER_CREDIT);
  const submit = async () => {
    setMade(null);
    const body = {
      usd: Number(usd),
      method: method === "crypto" ? "crypto" : "card",
      outcome: outcome === "refused" ? "refused" : outcome === "pending" ? "pending" : "completed",
    } as const;
    const params = { path: { account_id: accountId } };
    setMade(await ask(controlPlane.POST("/_emulator/accounts/{account_id}/top-ups", { params, body })));
  };
  return (
    <Section title="Top up">
      <p>1 credit is {USD_PER_CREDIT} USD. Nothing here is real money.</p>
      <Form
        submit={`Buy ${formatAmount(Number.isFinite(credits) ? credits : 0, "credit")}`}
        onSubmit={submit}
      >
        <div class="fields">
          <Field
            label="US dollars"
            type="number"
            min={0.01}
            step={0.01}
            required
            value={usd}
            onChange={setUsd}
          />
          <Choice
            label="Pay by"
            value={method}
            of={[
              ["card", "Card"],
              ["crypto", "Cryptocurrency"],
            ]}
            onChange={setMethod}
          />
          <Choice
            label="How it goes"
            value={outcome}
            of={[
              ["completed", "Completed"],
              ["pending", "Pending"],
              ["refused", "Refused"],
            ]}
            onChange={setOutcome}
          />
        </div>
        <p class="hint">
          {method === "card"
            ? "The card of a completed payment is saved, and is what the automatic top-up charges."
            : "The automatic top-up never uses cryptocurrency."}
        </p>
      </Form>
      <output>
        {made !== null &&
          `Payment ${made.status}: ${formatAmount(made.credits, "credit")} by ${made.method}.`}
      </output>
    </Section>
  );
}
