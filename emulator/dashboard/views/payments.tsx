import { useState } from "preact/hooks";
import { USD_PER_CREDIT } from "../../../src/contract/service.js";
import { LONGEST_BILLING_LINE, RANGES } from "../../core/ranges.js";
import { bindParam, param, setParam } from "../address.js";
import {
  type Billing,
  getBilling,
  getPayments,
  type Payment,
  setBilling,
  topUp,
  updateTopUp,
} from "../api.js";
import { useData, useFields } from "../parts/calls.js";
import { Action, Field, Form, NumberField } from "../parts/controls.js";
import { Button, Empty, Problem, Section, Status, Table, Time } from "../parts/display.js";
import { formatAmount, formatCount, formatUsd } from "../parts/format.js";
import { accountId } from "../store.js";

const METHODS = { card: "Card", crypto: "Cryptocurrency" };
const RESULTS = { completed: "Completed", pending: "Pending", refused: "Refused" };

type TopUp = { usd: string; method: "card" | "crypto"; outcome: Payment["status"] };

export function TopUpSection() {
  const { values, bind } = useFields<TopUp>({ usd: "10", method: "card", outcome: "completed" });
  const [payment, setPayment] = useState<Payment | null>(null);
  const usd = Number(values.usd);
  const [least, most] = RANGES.usd;
  const credits = usd >= least && usd <= most ? Math.round(usd / USD_PER_CREDIT) : null;
  const submit = async () => {
    setPayment(null);
    setPayment(await topUp(accountId.value, { ...values, usd }));
  };
  return (
    <Section title="Top up">
      <p>1 credit is {USD_PER_CREDIT} USD. Nothing here is real money.</p>
      <Form
        submit={credits === null ? "Buy credits" : `Buy ${formatAmount(credits, "credit")}`}
        onSubmit={submit}
      >
        <div class="fields">
          <NumberField label="US dollars" range={RANGES.usd} step={0.01} {...bind("usd")} />
          <Field label="Pay by" of={METHODS} {...bind("method")} />
          <Field label="Result" of={RESULTS} {...bind("outcome")} />
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

export function PaymentSection() {
  const { data, error } = useData(async () => {
    const [{ payments }, { name }] = await Promise.all([
      getPayments(accountId.value),
      getBilling(accountId.value),
    ]);
    return { payments: payments.toReversed(), isBilled: name !== null };
  }, accountId.value);
  const { payments = [], isBilled = false } = data ?? {};
  const shown = payments.filter(({ status }) => param("status") === "" || status === param("status"));
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
        <search class="filters">
          <Field
            label="State"
            of={[["", "Every state"], ...Object.entries(RESULTS)]}
            value={param("status")}
            onChange={(status) => {
              setParam("page", "");
              setParam("status", status);
            }}
          />
          <small aria-live="polite">{formatAmount(shown.length, "payment")}</small>
        </search>
      )}
      {payments.length > 0 && shown.length === 0 && <Empty>No payment matches this filter.</Empty>}
      {shown.length > 0 && (
        <Table
          columns={[
            ["Time (UTC)", ({ at }) => <Time at={at} />],
            ["Paid by", (payment) => <Method of={payment} />],
            ["State", ({ status }) => <Status of={status} />],
            ["Amount", ({ usd }) => formatUsd(usd), "number"],
            ["Credits", ({ credits }) => formatCount(credits), "number"],
            ["Invoice", (payment) => <Invoice of={payment} isBilled={isBilled} />],
          ]}
          items={shown}
          keyOf={(payment) => payment.payment_id}
          page={bindParam("page")}
        />
      )}
    </Section>
  );
}

function Method({ of: { method, card, automatic } }: { of: Payment }) {
  return (
    <>
      {method === "card" ? `Card •••• ${card ?? ""}` : "Cryptocurrency"}
      {automatic && <small> automatic</small>}
    </>
  );
}

/** The invoice of a payment; while it is pending, the decision about it. */
function Invoice({ of, isBilled }: { of: Payment; isBilled: boolean }) {
  const { payment_id: paymentId, invoice_id: invoiceId, status } = of;
  const decide = (decision: "completed" | "refused") => () =>
    updateTopUp(accountId.value, paymentId, { status: decision });
  if (status === "pending")
    return (
      <div class="buttons">
        <Action onAct={decide("completed")}>Complete</Action>
        <Action onAct={decide("refused")}>Refuse</Action>
      </div>
    );
  if (invoiceId === null) return <small>none: not completed</small>;
  if (!isBilled)
    return (
      <Button disabled aria-describedby="billing-reason">
        {invoiceId}.pdf
      </Button>
    );
  const url = `/_emulator/accounts/${accountId.value}/invoices/${encodeURIComponent(invoiceId)}.pdf`;
  return (
    <a href={url} download={`${invoiceId}.pdf`}>
      {invoiceId}.pdf
    </a>
  );
}

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
      {data !== undefined && <BillingForm key={JSON.stringify(data)} saved={data} />}
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
