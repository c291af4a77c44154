import { useState } from "preact/hooks";
import { RANGES } from "../../../core/ranges.js";
import { type Args, type AutoTopUp, call } from "../../api.js";
import { useResult } from "../../parts/calls.js";
import { Flag } from "../../parts/controls.js";
import { Mark, Problem, Section, Time } from "../../parts/display.js";
import { Action, FieldsForm, OnDemand } from "../../parts/form.js";
import { formatAmount, formatCount, formatUsd } from "../../parts/format.js";
import { accountId, now } from "../../store.js";

/** A refused charge pauses the automatic top-up, but not one that is off. */
function stateOf({ enabled, paused_until: until }: AutoTopUp) {
  if (!enabled) return "off";
  return until !== null && Date.parse(until) > now.value ? "paused" : "on";
}

const TONES = { off: "idle", on: "good", paused: "warn" } as const;

export function AutoTopUpSection() {
  const { data, error } = useResult("GET /accounts/{account_id}/auto-top-up", accountId.value);
  const state = data && stateOf(data);
  return (
    <Section title="Automatic top-up" aside={state && <Mark tone={TONES[state]}>{state}</Mark>}>
      <Problem error={error} />
      {data !== undefined && <State of={data} />}
      {data !== undefined && data.saved_card !== null && (
        <>
          <div class="buttons">
            <OnDemand form={<Settings of={data} />}>Edit</OnDemand>
            {data.enabled && <Action onAct={() => update({ enabled: false })}>Switch off</Action>}
          </div>
          <Bank refuses={data.saved_card_refuses} />
        </>
      )}
    </Section>
  );
}

function update(changes: Args<"PUT /accounts/{account_id}/auto-top-up">[1]): Promise<AutoTopUp> {
  return call("PUT /accounts/{account_id}/auto-top-up", accountId.value, changes);
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
      onAct={() => call("PATCH /accounts/{account_id}", accountId.value, { saved_card })}
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
  return `Whole dollars, ${RANGES[name].map(formatCount).join(" to ")}`;
}

/** The amounts, with the values that the form proposes. */
const AMOUNTS = [
  {
    name: "threshold_credits",
    label: "Threshold (credits)",
    hint: `At least ${formatCount(RANGES.threshold_credits[0])} available credits.`,
    proposed: 100,
  },
  { name: "recharge_usd", label: "Recharge (USD)", hint: `${dollars("recharge_usd")}.`, proposed: 10 },
  {
    name: "monthly_cap_usd",
    label: "Monthly cap (USD)",
    hint: `${dollars("monthly_cap_usd")}, and at least the recharge.`,
    proposed: 100,
  },
] as const;

function Settings({ of }: { of: AutoTopUp }) {
  const current = JSON.stringify([of.enabled, ...AMOUNTS.map(({ name }) => of[name])]);
  // An authorization ends when another program changes the amounts.
  const [authorized, setAuthorized] = useState<string | null>(null);
  const save = async (values: Record<(typeof AMOUNTS)[number]["name"], string>) => {
    const { authorization } = await call("POST /accounts/{account_id}/authorizations", accountId.value);
    await update({
      enabled: true,
      threshold_credits: Number(values.threshold_credits),
      recharge_usd: Number(values.recharge_usd),
      monthly_cap_usd: Number(values.monthly_cap_usd),
      authorization,
    });
  };
  return (
    <FieldsForm
      submit={of.enabled ? "Save" : "Switch on"}
      fields={AMOUNTS.map(({ proposed, ...field }) => {
        return { ...field, value: of[field.name] ?? proposed };
      })}
      onSubmit={save}
      disabled={authorized !== current}
    >
      <Flag
        label="I authorize these charges. Required to switch on and for each change of the amounts."
        value={authorized === current}
        onChange={(isOn) => setAuthorized(isOn ? current : null)}
      />
    </FieldsForm>
  );
}
