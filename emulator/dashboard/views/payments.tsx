import { useState } from "preact/hooks";
import { USD_PER_CREDIT } from "../../../src/contract/service.js";
import { getBilling, getPayments, type Payment, topUp, updateTopUp } from "../api.js";
import { useData, useFields } from "../parts/calls.js";
import { Action, Choice, Field, Form } from "../parts/controls.js";
import { Empty, Problem, Section, Status, Table, Time } from "../parts/display.js";
import { formatAmount, formatCount, formatUsd } from "../parts/format.js";

export function TopUpSection({ accountId }: { accountId: string }) {
  const { values, bind } = useFields({ usd: "10", method: "card", outcome: "completed" });
  const [payment, setPayment] = useState<Payment | null>(null);
  const credits = Math.round(Number(values.usd) / USD_PER_CREDIT);
  const submit = async () => {
    setPayment(null);
    const { usd, method, outcome } = values;
    // The choices below are the values that the control plane has.
    const choices = { method, outcome } as Pick<Parameters<typeof topUp>[1], "method" | "outcome">;
    setPayment(await topUp(accountId, { ...choices, usd: Number(usd) }));
  };
  return (
    <Section title="Top up">
      <p>1 credit is {USD_PER_CREDIT} USD. Nothing here is real money.</p>
      <Form
        submit={`Buy ${formatAmount(Number.isFinite(credits) ? credits : 0, "credit")}`}
        onSubmit={submit}
      >
        <div class="fields">
          <Field label="US dollars" type="number" min={0.01} step={0.01} required {...bind("usd")} />
          <Choice
            label="Pay by"
            of={[
              ["card", "Card"],
              ["crypto", "Cryptocurrency"],
            ]}
            {...bind("method")}
          />
          <Choice
            label="Result"
            of={[
              ["completed", "Completed"],
              ["pending", "Pending"],
              ["refused", "Refused"],
            ]}
            {...bind("outcome")}
          />
        </div>
        <p class="hint">
          {values.method === "card"
            ? "The card of a completed payment is saved, and is charged by the automatic top-up."
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

const COLUMNS = [
  ["Time (UTC)"],
  ["Paid by"],
  ["State"],
  ["Amount", "number"],
  ["Credits", "number"],
  ["Invoice"],
] as const;

export function PaymentSection({ accountId }: { accountId: string }) {
  const { data, error } = useData(async () => {
    const [{ payments }, { name }] = await Promise.all([getPayments(accountId), getBilling(accountId)]);
    return { payments: payments.toReversed(), isBilled: name !== null };
  }, accountId);
  const { payments = [], isBilled = false } = data ?? {};
  return (
    <Section title="Payments and invoices">
      <Problem error={error} />
      {data !== undefined && payments.length === 0 && (
        <Empty>No payments yet. Each completed top-up has an invoice; granted credits have none.</Empty>
      )}
      {payments.length > 0 && !isBilled && (
        <p class="hint" id="billing-reason">
          Invoices can be downloaded once the billing information below is saved: name, address line 1, city
          and country.
        </p>
      )}
      {payments.length > 0 && (
        <Table columns={COLUMNS}>
          {payments.map((payment) => (
            <PaymentRow
              key={payment.payment_id}
              payment={payment}
              accountId={accountId}
              isBilled={isBilled}
            />
          ))}
        </Table>
      )}
    </Section>
  );
}

function PaymentRow(props: { payment: Payment; accountId: string; isBilled: boolean }) {
  const { payment, accountId, isBilled } = props;
  const { at, method, card, automatic, status, usd, credits, payment_id: paymentId } = payment;
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>
        {method === "card" ? `Card •••• ${card ?? ""}` : "Cryptocurrency"}
        {automatic && <small> automatic</small>}
      </td>
      <td>
        <Status of={status} />
      </td>
      <td class="number">{formatUsd(usd)}</td>
      <td class="number">{formatCount(credits)}</td>
      <td>
        {status === "pending" ? (
          <div class="buttons">
            <Action onAct={() => updateTopUp(accountId, paymentId, { status: "completed" })}>Complete</Action>
            <Action onAct={() => updateTopUp(accountId, paymentId, { status: "refused" })}>Refuse</Action>
          </div>
        ) : (
          <Invoice accountId={accountId} invoiceId={payment.invoice_id} isBilled={isBilled} />
        )}
      </td>
    </tr>
  );
}

function Invoice(props: { accountId: string; invoiceId: string | null; isBilled: boolean }) {
  const { accountId, invoiceId, isBilled } = props;
  if (invoiceId === null) return <small>none: not completed</small>;
  if (!isBilled) {
    return (
      <button type="button" class="small secondary" disabled aria-describedby="billing-reason">
        {invoiceId}.pdf
      </button>
    );
  }
  const url = `/_emulator/accounts/${accountId}/invoices/${encodeURIComponent(invoiceId)}.pdf`;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {invoiceId}.pdf
    </a>
  );
}
