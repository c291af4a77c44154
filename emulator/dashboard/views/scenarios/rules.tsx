import { linkTo } from "../../address.js";
import { type Rule, removeRule } from "../../api.js";
import { Empty, Section } from "../../parts/display.js";
import { Action } from "../../parts/form.js";
import { formatCount } from "../../parts/format.js";
import { textOf } from "../../parts/presets.js";
import { Table } from "../../parts/table.js";
import { overview } from "../../store.js";
import { faultText, REQUESTS } from "./faults.js";
import { OUTCOMES } from "./outcomes.js";
import { RuleForm } from "./rule-form.js";
import { accountName } from "./scope.js";

/** The faults and outcomes: a form that adds one, those that apply, and those that were used up. */
export function RuleSection() {
  const rules = overview.value?.rules ?? [];
  const active = rules.filter(({ left }) => left !== 0);
  return (
    <Section
      title="Rules"
      aside={
        active.length > 1 && (
          <Action onAct={() => Promise.all(active.map(({ id }) => removeRule(String(id))))}>
            Remove all {formatCount(active.length)}
          </Action>
        )
      }
    >
      <RuleForm />
      {rules.length === 0 ? (
        <Empty>
          No rules: every request gets the response that the interface states, and every task succeeds.
        </Empty>
      ) : (
        <Table
          columns={[
            ["When", (rule) => whenOf(rule)],
            ["of", (rule) => accountName(rule.account_id)],
            ["comes", (rule) => oftenOf(rule)],
            ["response, or the outcome", (rule) => <strong>{responseTextOf(rule)}</strong>],
            ["Fired", (rule) => <Fired rule={rule} />],
            [<span class="unseen">Actions</span>, (rule) => <Remove rule={rule} />, "number"],
          ]}
          items={rules}
          keyOf={({ id }) => String(id)}
        />
      )}
    </Section>
  );
}

function whenOf({ fault, model }: Rule): string {
  if (fault === null) return `a task of ${model}`;
  const { method, path } = fault;
  const [known] = Object.values(REQUESTS).find(([, to]) => to.method === method && to.path === path) ?? [];
  return known ?? `${method ?? "any method"} ${path ?? "any path"}`;
}

/** How often the rule still applies. */
function oftenOf({ fault, left }: Rule): string {
  const { probability } = fault ?? {};
  const times =
    left === 0
      ? "no longer"
      : left === null
        ? "every time"
        : left === 1
          ? "once"
          : `${formatCount(left)} times`;
  if (probability === undefined || probability === 1) return times;
  return `with probability ${probability}${left === null ? "" : `, ${times}`}`;
}

function responseTextOf({ fault, outcome }: Rule): string {
  return fault === null ? textOf(OUTCOMES, outcome) : faultText(fault.fault);
}

/** How often it fired, with links to the latest requests. */
function Fired({ rule: { fired, exchanges } }: { rule: Rule }) {
  if (fired === 0) return <small>not yet</small>;
  const older = fired - exchanges.length;
  return (
    <>
      {formatCount(fired)} ×{older > 0 && <small> latest:</small>}
      {exchanges.map((number) => (
        <span key={number}>
          {" "}
          <a href={linkTo("/requests", { open: String(number) })}>#{number}</a>
        </span>
      ))}
    </>
  );
}

function Remove({ rule }: { rule: Rule }) {
  if (rule.left === 0) return <small>used up or removed</small>;
  return (
    <Action
      onAct={() => removeRule(String(rule.id))}
      aria-label={`Remove: when ${whenOf(rule)} of ${accountName(rule.account_id)} comes, ${responseTextOf(rule)}`}
    >
      Remove
    </Action>
  );
}
