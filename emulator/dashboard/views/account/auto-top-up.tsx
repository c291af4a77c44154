import { useState } from "preact/hooks";
import { RANGES, type Range } from "../../../core/ranges.js";
import { type AutoTopUp, authorize, getAutoTopUp, setAutoTopUp, updateAccount } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { Flag, NumberField } from "../../parts/controls.js";
import { Button, Mark, Problem, Section, Time } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Action, Form } from "../../parts/form.js";
import { formatCount, formatUsd } from "../../parts/format.js";
import { accountId } from "../../store.js";

export function AutoTopUpSection() {
  const { data, error } = useData(() => getAutoTopUp(accountId.value), accountId.value);
  const mark = data && <Mark tone={data.enabled ? "good" : "idle"}>{data.enabled ? "on" : "off"}</Mark>;
  return (
    <Section title="Automatic top-up" aside={mark}>
      <Problem error={error} />
      {data !== undefined && (
        <>
          <State of={data} />
          {data.saved_card !== null && <Bank refuses={data.saved_card_refuses} />}
          <Settings of={data} />
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
      {of.last_refused_charge !== null && <Refused of={of.last_refused_charge} />}
    </p>
  );
}

function Refused({ of }: { of: NonNullable<AutoTopUp["last_refused_charge"]> }) {
  return (
    <>
      {" "}
      Last refused: {of.automatic ? "the automatic charge" : "the top-up"} of {formatUsd(of.usd)} to the card
      •••• {of.card}, on <Time at={of.at} /> UTC.
    </>
  );
}

/** Simulates charges that fail. */
function Bank({ refuses }: { refuses: boolean }) {
  return (
    <>
      <p class="hint">
        A refused charge pauses the automatic top-up for an hour. From now on, the card's bank should
      </p>
      <div class="buttons bank">
        <Action
          aria-pressed={refuses}
          onAct={() => updateAccount(accountId.value, { saved_card: "refuses" })}
        >
          refuse charges
        </Action>
        <Action
          aria-pressed={!refuses}
          onAct={() => updateAccount(accountId.value, { saved_card: "accepts" })}
        >
          accept charges
        </Action>
      </div>
    </>
  );
}

const { threshold_credits: threshold, recharge_usd: recharge, monthly_cap_usd: cap } = RANGES;

function formatRange([least, most]: Range): string {
  return `${formatCount(least)} to ${formatCount(most)}`;
}

function Settings({ of }: { of: AutoTopUp }) {
  const { values, bind } = useFields({
    threshold_credits: String(of.threshold_credits ?? 100),
    recharge_usd: String(of.recharge_usd ?? 10),
    monthly_cap_usd: String(of.monthly_cap_usd ?? 100),
  });
  const { enabled, threshold_credits, recharge_usd, monthly_cap_usd } = of;
  const current = JSON.stringify([enabled, threshold_credits, recharge_usd, monthly_cap_usd]);
  // An authorization ends when another program changes the amounts.
  const [authorized, setAuthorized] = useState<string | null>(null);
  const isAuthorized = authorized === current;
  const save = async () => {
    const { authorization } = await authorize(accountId.value);
    await setAutoTopUp(accountId.value, {
      enabled: true,
      threshold_credits: Number(values.threshold_credits),
      recharge_usd: Number(values.recharge_usd),
      monthly_cap_usd: Number(values.monthly_cap_usd),
      authorization,
    });
    setAuthorized(null);
  };
  const switchOff = () => setAutoTopUp(accountId.value, { enabled: false });
  return (
    <Form
      submit={of.enabled ? "Save the changes" : "Switch on"}
      onSubmit={save}
      disabled={!isAuthorized || of.saved_card === null}
      buttons={({ run, isBusy }) =>
        of.enabled && (
          <Button class="secondary" isBusy={isBusy} onClick={() => void run(switchOff)}>
            Switch off
          </Button>
        )
      }
    >
      <div class="fields">
        <NumberField
          label="Threshold (credits)"
          hint={`At least ${formatCount(threshold[0])} available credits.`}
          range={threshold}
          {...bind("threshold_credits")}
        />
        <NumberField
          label="Recharge (USD)"
          hint={`Whole dollars, ${formatRange(recharge)}.`}
          range={recharge}
          {...bind("recharge_usd")}
        />
        <NumberField
          label="Monthly cap (USD)"
          hint={`Whole dollars, ${formatRange(cap)}, and at least the recharge.`}
          range={cap}
          {...bind("monthly_cap_usd")}
        />
      </div>
      <Flag
        label="I authorize these charges. Required to switch on and for each change of the amounts, not to switch off."
        value={isAuthorized}
        onChange={(isOn) => setAuthorized(isOn ? current : null)}
      />
    </Form>
  );
}
