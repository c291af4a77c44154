import { useState } from "preact/hooks";
import { type AutoTopUp, authorize, getAutoTopUp, setAutoTopUp, updateAccount } from "../api.js";
import { useData, useFields } from "../parts/calls.js";
import { Action, Flag, Form, NumberField } from "../parts/controls.js";
import { Button, Mark, Problem, Section, Time } from "../parts/display.js";
import { formatUsd } from "../parts/format.js";
import { accountId } from "../store.js";

export function AutoTopUpSection() {
  const { data, error } = useData(() => getAutoTopUp(accountId.value), accountId.value);
  const mark = data && <Mark tone={data.enabled ? "good" : "idle"}>{data.enabled ? "on" : "off"}</Mark>;
  return (
    <Section title="Automatic top-up" aside={mark}>
      <Problem error={error} />
      {data !== undefined && (
        <>
          <State of={data} />
          {data.saved_card !== null && <Bank />}
          <Settings key={JSON.stringify([data.enabled, data.monthly_cap_usd])} of={data} />
        </>
      )}
    </Section>
  );
}

function State({ of }: { of: AutoTopUp }) {
  return (
    <p>
      {of.saved_card === null
        ? "No card is saved. Top up by card to save one: cryptocurrency can't be charged automatically."
        : `Charges the saved card •••• ${of.saved_card} when a task leaves less than the threshold available. ${formatUsd(of.charged_this_month_usd)} charged this month.`}
      {of.paused_until !== null && (
        <strong>
          {" "}
          A charge was refused: paused until <Time at={of.paused_until} /> UTC.
        </strong>
      )}
    </p>
  );
}

/** Simulates charges that fail. */
function Bank() {
  return (
    <>
      <p class="hint">
        A refused charge pauses the automatic top-up for an hour. From now on, the card's bank should
      </p>
      <div class="buttons bank">
        <Action onAct={() => updateAccount(accountId.value, { saved_card: "refuses" })}>
          refuse charges
        </Action>
        <Action onAct={() => updateAccount(accountId.value, { saved_card: "accepts" })}>
          accept charges
        </Action>
      </div>
    </>
  );
}

function Settings({ of }: { of: AutoTopUp }) {
  const { values, bind } = useFields({
    threshold: String(of.threshold_credits ?? 100),
    recharge: String(of.recharge_usd ?? 10),
    cap: String(of.monthly_cap_usd ?? 100),
  });
  const [isAuthorized, setAuthorized] = useState(false);
  const save = async () => {
    const { authorization } = await authorize(accountId.value);
    await setAutoTopUp(accountId.value, {
      enabled: true,
      threshold_credits: Number(values.threshold),
      recharge_usd: Number(values.recharge),
      monthly_cap_usd: Number(values.cap),
      authorization,
    });
    setAuthorized(false);
  };
  const switchOff = () => setAutoTopUp(accountId.value, { enabled: false });
  return (
    <Form
      submit={of.enabled ? "Save the changes" : "Switch on"}
      onSubmit={save}
      disabled={!isAuthorized || of.saved_card === null}
      buttons={({ run, isBusy }) =>
        of.enabled && (
          <Button class="secondary" disabled={isBusy} onClick={() => void run(switchOff)}>
            Switch off
          </Button>
        )
      }
    >
      <div class="fields">
        <NumberField
          label="Threshold (credits)"
          hint="At least 50 available credits."
          min={50}
          {...bind("threshold")}
        />
        <NumberField
          label="Recharge (USD)"
          hint="Whole dollars, 10 to 1,000."
          min={10}
          max={1000}
          {...bind("recharge")}
        />
        <NumberField
          label="Monthly cap (USD)"
          hint="Whole dollars, 10 to 10,000, and at least the recharge."
          min={Math.max(10, Number(values.recharge) || 0)}
          max={10_000}
          {...bind("cap")}
        />
      </div>
      <Flag
        label="I authorize these charges. Required to switch on and for each change of the amounts, not to switch off."
        value={isAuthorized}
        onChange={setAuthorized}
      />
    </Form>
  );
}
