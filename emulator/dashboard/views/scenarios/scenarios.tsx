import { POLICY_FIELDS } from "../../../core/policy-fields.js";
import { call, type Policy } from "../../api.js";
import { useCall } from "../../parts/calls.js";
import { Field } from "../../parts/controls.js";
import { Problem, Section } from "../../parts/display.js";
import { Action, FieldsForm, OnDemand } from "../../parts/form.js";
import { formatAmount, formatCount } from "../../parts/format.js";
import { overview } from "../../store.js";
import { RuleSection } from "./rules.js";
import { accountName, ScopeField, scope, scoped } from "./scope.js";
import { ResetSection, SnapshotSection } from "./state.js";

/** Rules, policy options, the rate limit, and the whole state. */
export function ScenariosView() {
  return (
    <>
      <h1>Scenarios</h1>
      <RuleSection />
      <PolicySection />
      <div class="columns thirds">
        <LimitSection />
        <SnapshotSection />
        <ResetSection />
      </div>
    </>
  );
}

const NAMES = Object.keys(POLICY_FIELDS).filter((name): name is keyof Policy => name in POLICY_FIELDS);

const DEFAULTS = Object.fromEntries(NAMES.map((name) => [name, POLICY_FIELDS[name].default]));

/** The control plane checks which value an option has. */
const change = (changes: Record<string, unknown>) =>
  call("PATCH /policy", { ...changes, ...scoped() } as Partial<Policy>);

/** The options, changed ones first. */
function PolicySection() {
  const account = scope();
  const policy = account?.policy ?? overview.value?.policy;
  if (policy === undefined) return null;
  const isChanged = (name: keyof Policy) => policy[name] !== POLICY_FIELDS[name].default;
  const changed = NAMES.filter(isChanged);
  return (
    <Section
      title="Policy"
      aside={
        <div class="inline buttons">
          {changed.length > 0 && (
            <Action onAct={() => change(DEFAULTS)}>Reset {formatAmount(changed.length, "option")}</Action>
          )}
          <ScopeField />
        </div>
      }
    >
      <p>
        The interface leaves these open. Test your application with each value.{" "}
        {account !== null && account.policy === null && (
          <>A change gives {accountName(account.account_id)} a policy of its own.</>
        )}
      </p>
      <div class="policy">
        {[...changed, ...NAMES.filter((name) => !isChanged(name))].map((name) => (
          <PolicyField key={name} name={name} value={policy[name]} />
        ))}
      </div>
    </Section>
  );
}

/** Each option is changed on its own: a change of one is not lost while another one is made. */
function PolicyField({ name, value: current }: { name: keyof Policy; value: Policy[keyof Policy] }) {
  const { error, run } = useCall();
  const { choices, decides, default: standard } = POLICY_FIELDS[name];
  const values = new Map([...choices, current].map((value) => [String(value), value]));
  return (
    <>
      <Field
        label={name}
        hint={decides}
        value={String(current)}
        of={[...values].map(([text, value]) => [text, value === standard ? `${text} (default)` : text])}
        onChange={(chosen) => void run(() => change({ [name]: values.get(chosen) }))}
      />
      <Problem error={error} />
    </>
  );
}

function LimitSection() {
  const account = scope();
  const name = accountName(account?.account_id ?? null);
  const limits = account?.limits ?? overview.value?.limits;
  if (limits === undefined) return null;
  const own = (overview.value?.accounts ?? []).filter((each) => each.limits !== null).length;
  const others = `, except for ${formatAmount(own, "account")} with limits of their own`;
  return (
    <Section title="Rate limit">
      <p>
        {formatAmount(limits.requests, "request")} in {formatCount(limits.window_seconds)} s for each key of{" "}
        {name}
        {account === null && own > 0 && others}. The service's limit is 120 in 60 s.
      </p>
      <OnDemand
        key={name}
        form={
          <FieldsForm
            submit={`Set for ${name}`}
            fields={[
              { name: "requests", label: "Requests", value: limits.requests },
              { name: "window_seconds", label: "In seconds", value: limits.window_seconds, step: "any" },
            ]}
            onSubmit={({ requests, window_seconds: seconds }) =>
              call("PATCH /limits", {
                requests: Number(requests),
                window_seconds: Number(seconds),
                ...scoped(),
              })
            }
          />
        }
      >
        Edit
      </OnDemand>
    </Section>
  );
}
