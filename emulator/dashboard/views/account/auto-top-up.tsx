import { useState } from "preact/hooks";
import { type AutoTopUp, ask, controlPlane } from "../../client/client.js";
import { useAnswer } from "../../live/use-control.js";
import { Field, Flag } from "../../parts/field.js";
import { Act, Form } from "../../parts/form.js";
import { formatUsd } from "../../parts/format.js";
import { Problem, Section } from "../../parts/section.js";
import { Time } from "../../parts/time.js";

const URL = "/_emulator/accounts/{account_id}/auto-top-up";

export function AutoTopUpSection({ accountId }: { accountId: string }) {
  const params = { path: { account_id: accountId } };
  const { data, error, renew } = useAnswer(() => ask(controlPlane.GET(URL, { params })), accountId);
  return (
    <Section
      title="Automatic top-up"
      aside={
        data !== undefined && (
          <span class={`mark ${data.enabled ? "good" : "idle"}`}>{data.enabled ? "on" : "off"}</span>
        )
      }
    >
      <Problem error={error} />
      {data !== undefined && (
        <>
          <Situation of={data} />
          {data.saved_card !== null && <Bank accountId={accountId} />}
          <Settings
            key={JSON.stringify([data.enabled, data.monthly_cap_usd])}
            of={data}
            params={params}
            renew={renew}
          />
        </>
      )}
    </Section>
  );
}

function Situation({ of }: { of: AutoTopUp }) {
  return (
    <p>
      {of.saved_card === null ? (
        "No card is saved: top up by card once, and its card is. Cryptocurrency can't be charged automatically."
      ) : (
        <>
          Charges the saved card •••• {of.saved_card} as soon as a task leaves less than the threshold
          available. {formatUsd(of.charged_this_month_usd)} charged this month.
        </>
      )}
      {of.paused_until !== null && (
        <strong>
          {" "}
          A charge was refused: paused until <Time at={of.paused_until} /> UTC.
        </strong>
      )}
    </p>
  );
}

/** Failure protections are seen when a charge fails. */
function Bank({ accountId }: { accountId: string }) {
  const answer = (saved_card: "accepts" | "refuses") => async () => {
    await ask(
      controlPlane.PATCH("/_emulator/accounts/{account_id}", {
        params: { path: { account_id: accountId } },
        body: { saved_card },
      }),
    );
  };
  return (
    <>
      <p class="hint">
        After a refused charge nothing is tried for an hour. From now on the card's bank is to
      </p>
      <div class="buttons bank">
        <Act onAct={answer("refuses")}>refuse charges</Act>
        <Act onAct={answer("accepts")}>accept charges</Act>
      </div>
    </>
  );
}

interface Where {
  params: { path: { account_id: string } };
  renew(): void;
}

function Settings({ of, params, renew }: { of: AutoTopUp } & Where) {
  const [threshold, setThreshold] = useState(String(of.threshold_credits ?? 100));
  const [recharge, setRecharge] = useState(String(of.recharge_usd ?? 10));
  const [cap, setCap] = useState(String(of.monthly_cap_usd ?? 100));
  const [isSure, setSure] = useState(false);
  const hasCard = of.saved_card !== null;

  const save = async () => {
    const { authorization } = await ask(
      controlPlane.POST("/_emulator/accounts/{account_id}/authorizations", { params }),
    );
    const body = {
      enabled: true,
      threshold_credits: Number(threshold),
      recharge_usd: Number(recharge),
      monthly_cap_usd: Number(cap),
      authorization,
    };
    await ask(controlPlane.PUT(URL, { params, body }));
    setSure(false);
    renew();
  };
  const switchOff = async () => {
    await ask(controlPlane.PUT(URL, { params, body: { enabled: false } }));
    renew();
  };
  return (
    <Form
      submit={of.enabled ? "Save the changes" : "Switch on"}
      onSubmit={save}
      disabled={!isSure || !hasCard}
      buttons={({ tell, isBusy }) =>
        of.enabled && (
          <button type="button" class="secondary" disabled={isBusy} onClick={() => void tell(switchOff)}>
            Switch off
          </button>
        )
      }
    >
      <div class="fields">
        <Field
          label="Threshold (credits)"
          type="number"
          min={50}
          step={1}
          required
          hint="At least 50 available credits."
          value={threshold}
          onChange={setThreshold}
        />
        <Field
          label="Recharge (USD)"
          type="number"
          min={10}
          max={1000}
          step={1}
          required
          hint="Whole dollars, 10 to 1,000."
          value={recharge}
          onChange={setRecharge}
        />
        <Field
          label="Monthly cap (USD)"
          type="number"
          min={Math.max(10, Number(recharge) || 0)}
          max={10_000}
          step={1}
          required
          hint="Whole dollars, 10 to 10,000, and at least the recharge."
          value={cap}
          onChange={setCap}
        />
      </div>
      <Flag
        label="I authorize these charges. Switching on, and each change of the amounts, needs this anew; switching off does not."
        value={isSure}
        onChange={setSure}
      />
    </Form>
  );
}
