import { bindParam, param, setParam } from "../../address.js";
import { call, type Payment } from "../../api.js";
import { useResult } from "../../parts/calls.js";
import { Field } from "../../parts/controls.js";
import { Button, Empty, Problem, Section, Status, Time } from "../../parts/display.js";
import { Action } from "../../parts/form.js";
import { formatAmount, formatCount, formatUsd } from "../../parts/format.js";
import { Table } from "../../parts/table.js";
import { accountId } from "../../store.js";

export const METHODS = { card: "Card", crypto: "Cryptocurrency" };
export const RESULTS = { completed: "Completed", pending: "Pending", refused: "Refused" };

export function PaymentSection() {
  const { data, error } = useResult("GET /accounts/{account_id}/top-ups", accountId.value);
  const { data: billing } = useResult("GET /accounts/{account_id}/billing", accountId.value);
  const payments = data?.payments.toReversed() ?? [];
  const isBilled = billing?.name != null;
  const shown = payments.filter(({ status }) => param("status") === "" || status === param("status"));
  return (
    <Section title="Payments and invoices">
      <Problem error={error} />
      {data !== undefined && payments.length === 0 && (
        <Empty>No payments yet. Each completed top-up has an invoice; granted credits have none.</Empty>
      )}
      {payments.length > 0 && billing?.name === null && (
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
    call("PATCH /accounts/{account_id}/top-ups/{payment_id}", accountId.value, paymentId, {
      status: decision,
    });
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
