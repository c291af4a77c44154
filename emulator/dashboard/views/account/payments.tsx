import { ask, controlPlane, type Payment } from "../../client/client.js";
import { useAnswer } from "../../live/use-control.js";
import { Act } from "../../parts/form.js";
import { formatCount, formatUsd } from "../../parts/format.js";
import { Empty, Problem, Section } from "../../parts/section.js";
import { Status } from "../../parts/status.js";
import { Time } from "../../parts/time.js";

/** What was paid, with its invoices. */
export function Payments({ accountId }: { accountId: string }) {
  const params = { path: { account_id: accountId } };
  const { data, error } = useAnswer(async () => {
    const [{ payments }, billing] = await Promise.all([
      ask(controlPlane.GET("/_emulator/accounts/{account_id}/top-ups", { params })),
      ask(controlPlane.GET("/_emulator/accounts/{account_id}/billing", { params })),
    ]);
    return { payments: payments.toReversed(), isBilled: billing.name !== null };
  }, accountId);
  const { payments = [], isBilled = false } = data ?? {};
  return (
    <Section title="Payments and invoices">
      <Problem error={error} />
      {data !== undefined && payments.length === 0 && (
        <Empty>
          No payments yet. Each completed top-up has its invoice here; credits that were given have none.
        </Empty>
      )}
      {payments.length > 0 && !isBilled && (
        <p class="hint" id="billing-reason">
          Invoices can be downloaded once the billing information below is saved: name, address line 1, city
          and country.
        </p>
      )}
      {payments.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Time (UTC)</th>
                <th scope="col">Paid by</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Amount
                </th>
                <th scope="col" class="number">
                  Credits
                </th>
                <th scope="col">Invoice</th>
              </tr>
            </thead>
            <tbody>
              {payments.map((payment) => (
                <PaymentRow
                  key={payment.payment_id}
                  payment={payment}
                  accountId={accountId}
                  isBilled={isBilled}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function PaymentRow(props: { payment: Payment; accountId: string; isBilled: boolean }) {
  const { payment, accountId, isBilled } = props;
  return (
    <tr>
      <td>
        <Time at={payment.at} />
      </td>
      <td>
        {payment.method === "card" ? `Card •••• ${payment.card ?? ""}` : "Cryptocurrency"}
        {payment.automatic && <small> automatic</small>}
      </td>
      <td>
        <Status of={payment.status} />
      </td>
      <td class="number">{formatUsd(payment.usd)}</td>
      <td class="number">{formatCount(payment.credits)}</td>
      <td>
        {payment.status === "pending" ? (
          <Decide accountId={accountId} paymentId={payment.payment_id} />
        ) : (
          <InvoiceLink accountId={accountId} invoiceId={payment.invoice_id} isBilled={isBilled} />
        )}
      </td>
    </tr>
  );
}

function InvoiceLink(props: { accountId: string; invoiceId: string | null; isBilled: boolean }) {
  const { accountId, invoiceId, isBilled } = props;
  if (invoiceId === null) return <small>none: it was not completed</small>;
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

function Decide({ accountId, paymentId }: { accountId: string; paymentId: string }) {
  const decide = (status: "completed" | "refused") => async () => {
    await ask(
      controlPlane.PATCH("/_emulator/accounts/{account_id}/top-ups/{payment_id}", {
        params: { path: { account_id: accountId, payment_id: paymentId } },
        body: { status },
      }),
    );
  };
  return (
    <div class="buttons">
      <Act onAct={decide("completed")}>Complete it</Act>
      <Act onAct={decide("refused")}>Refuse it</Act>
    </div>
  );
}
