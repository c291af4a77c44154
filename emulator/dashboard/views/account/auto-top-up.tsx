import { useState } from "preact/hooks";
import { RANGES } from "../../../core/ranges.js";
import { type AutoTopUp, authorizeChange, getAutoTopUp, setAutoTopUp, updateAccount } from "../../api.js";
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
  const { last_refused_charge: refused } = of;
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
      {refused !== null && (
        <>
          {" "}
          Last refused: {refused.automatic ? "the automatic charge" : "the top-up"} of{" "}
          {formatUsd(refused.usd)} to the card •••• {refused.card}, on <Time at={refused.at} /> UTC.
        </>
      )}
    </p>
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

function dollars(name: "recharge_usd" | "monthly_cap_usd"): string {
  const [least, most] = RANGES[name].map(formatCount);
  return `Whole dollars, ${least} to ${most}`;
}

/** The amounts, with their labels, their rules, and the values that the form proposes. */
const AMOUNTS = [
  [
    "threshold_credits",
    "Threshold (credits)",
    `At least ${formatCount(RANGES.threshold_credits[0])} available credits.`,
    100,
  ],
  ["recharge_usd", "Recharge (USD)", `${dollars("recharge_usd")}.`, 10],
  ["monthly_cap_usd", "Monthly cap (USD)", `${dollars("monthly_cap_usd")}, and at least the recharge.`, 100],
] as const;

type Name = (typeof AMOUNTS)[number][0];

function Settings({ of, close }: { of: AutoTopUp; close(): void }) {
  const initial = AMOUNTS.map(([name, , , proposed]) => [name, String(of[name] ?? proposed)]);
  const { values, bind } = useFields<Record<Name, string>>(Object.fromEntries(initial));
  const current = JSON.stringify([of.enabled, ...AMOUNTS.map(([name]) => of[name])]);
  // An authorization ends when another program changes the amounts.
  const [authorized, setAuthorized] = useState<string | null>(null);
  const save = async () => {
    const { authorization } = await authorizeChange(accountId.value);
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
        {AMOUNTS.map(([name, label, hint]) => (
          <NumberField key={name} label={label} hint={hint} range={RANGES[name]} {...bind(name)} />
        ))}
      </div>
      <Flag
        label="I authorize these charges. Required to switch on and for each change of the amounts."
        value={authorized === current}
        onChange={(isOn) => setAuthorized(isOn ? current : null)}
      />
    </Form>
  );
}
