import { linkTo } from "../../address.js";
import { formatAmount, formatCount } from "../../parts/format.js";
import { account } from "../../store.js";
import { AccountPage } from "./account.js";
import { AutoTopUpSection } from "./auto-top-up.js";
import { BillingSection } from "./billing.js";
import { PaymentSection } from "./payments.js";
import { TopUpSection } from "./top-up.js";

export function BillingAndPaymentsView() {
  const { balance, suspended } = account.value ?? {};
  if (balance === undefined) return null;
  return (
    <AccountPage title="Billing and payments">
      <p>
        {formatAmount(balance.available, "credit")} available, {formatCount(balance.frozen)} frozen.{" "}
        <a href={linkTo("/account/statement")}>Statement</a>
        {suspended && (
          <>
            {" "}
            <strong>Suspended.</strong> <a href={linkTo("/account/accounts")}>End the suspension</a>
          </>
        )}
      </p>
      <div class="columns">
        <TopUpSection />
        <AutoTopUpSection />
      </div>
      <PaymentSection />
      <BillingSection />
    </AccountPage>
  );
}
