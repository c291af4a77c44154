import { useState } from "preact/hooks";
import { RANGES, type Range } from "../../../core/ranges.js";
import { type AutoTopUp, authorize, getAutoTopUp, setAutoTopUp, updateAccount } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { Flag, NumberField } from "../../parts/controls.js";
import { Mark, Problem, Section, Time } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Action, Form, OnDemand } from "../../parts/form.js";
import { formatAmount, formatCount, formatUsd } from "../../parts/format.js";
import { accountId, now } from "../../store.js";

/** A refused charge pauses the automatic top-up, but not one that is off. */
function stateOf({ enabled, paused_until: until }: AutoTopUp) {
  if (!enabled) return "off";
  return until !== null && Date.parse(until) > now.value ? "paused" : "on";
}

const TONES = { off: "idle", on: "good", paused: "warn" } as const;

export function AutoTopUpSection() {
  const { data, error } = useData(() => getAutoTopUp(accountId.value), accountId.value);
  const state = data && stateOf(data);
  return (
    <Section title="Automatic top-up" aside={state && <Mark tone={TONES[state]}>{state}</Mark>}>
      <Problem error={error} />
      {data !== undefined && <State of={data} />}
      {data !== undefined && data.saved_card !== null && (
        <>
          <div class="buttons">
            <OnDemand form={(close) => <Settings of={data} close={close} />}>Edit</OnDemand>
            {data.enabled && (
              <Action onAct={() => setAutoTopUp(accountId.value, { enabled: false })}>Switch off</Action>
            )}
          </div>
          <Bank refuses={data.saved_card_refuses} />
        </>
      )}
    </Section>
  );
}

function State({ of }: { of: AutoTopUp }) {
  const { saved_card: card, threshold_credits: threshold, recharge_usd: recharge, monthly_cap_usd: cap } = of;
  if (card === null)
    return (
      <p>No card is saved. Top up by card to save one: cryptocurrency can't be charged automatically.</p>
    );
  return (
    <p>
      {of.enabled
        ? `When a task leaves less than ${formatAmount(threshold ?? 0, "credit")} available, ${formatUsd(recharge ?? 0)} is charged to the saved card •••• ${card}, up to ${formatUsd(cap ?? 0)} a month.`
        : `Nothing is charged automatically to the saved card •••• ${card}.`}{" "}
      {formatUsd(of.charged_this_month_usd)} charged this month.
      {stateOf(of) === "paused" && (
        <strong>
          {" "}
          A charge was refused: paused until <Time at={of.paused_until ?? 0} /> UTC.
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
  const choice = (text: string, saved_card: "refuses" | "accepts") => (
    <Action
      aria-pressed={refuses === (saved_card === "refuses")}
      onAct={() => updateAccount(accountId.value, { saved_card })}
    >
      {text}
    </Action>
  );
  return (
    <div class="buttons">
      <small>From now on, the card's bank should</small>
      {choice("refuse charges", "refuses")}
      {choice("accept charges", "accepts")}
    </div>
  );
}

const { threshold_credits: threshold, recharge_usd: recharge, monthly_cap_usd: cap } = RANGES;

function formatRange([least, most]: Range): string {
  return `${formatCount(least)} to ${formatCount(most)}`;
}

function Settings({ of, close }: { of: AutoTopUp; close(): void }) {
  const { values, bind } = useFields({
    threshold_credits: String(of.threshold_credits ?? 100),
    recharge_usd: String(of.recharge_usd ?? 10),
    monthly_cap_usd: String(of.monthly_cap_usd ?? 100),
  });
  const { enabled, threshold_credits, recharge_usd, monthly_cap_usd } = of;
  const current = JSON.stringify([enabled, threshold_credits, recharge_usd, monthly_cap_usd]);
  // An authorization ends when another program changes the amounts.
  const [authorized, setAuthorized] = useState<string | null>(null);
  const save = async () => {
    const { authorization } = await authorize(accountId.value);
    await setAutoTopUp(accountId.value, {
      enabled: true,
      threshold_credits: Number(values.threshold_credits),
      recharge_usd: Number(values.recharge_usd),
      monthly_cap_usd: Number(values.monthly_cap_usd),
      authorization,
    });
  };
  return (
    <Form
      submit={of.enabled ? "Save" : "Switch on"}
      onSubmit={save}
      disabled={authorized !== current}
      close={close}
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
        label="I authorize these charges. Required to switch on and for each change of the amounts."
        value={authorized === current}
        onChange={(isOn) => setAuthorized(isOn ? current : null)}
      />
    </Form>
  );
}
