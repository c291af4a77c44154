import { linkTo } from "../../address.js";
import { call, type Rule } from "../../api.js";
import { Empty, Section } from "../../parts/display.js";
import { Action } from "../../parts/form.js";
import { formatAmount, formatCount, isolated } from "../../parts/format.js";
import { Table } from "../../parts/table.js";
import { overview } from "../../store.js";
import { shortPath } from "../request-link.js";
import { faultText, outcomeText, REQUESTS } from "./presets.js";
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
          <Action
            onAct={() => Promise.all(active.map(({ id }) => call("DELETE /rules/{rule_id}", String(id))))}
          >
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
            [
              "Rule",
              (rule) => (
                <>
                  {conditionOf(rule)} <strong>{effectOf(rule)}</strong>
                </>
              ),
              "wide",
            ],
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

/** The words of the form: "When POST /task of every account comes, once, respond with". */
function conditionOf({ fault, model, account_id: id, left, fired }: Rule): string {
  const often = left === 0 ? "" : ` ${oftenOf(fault?.probability, left, fired)},`;
  const comes = `${fault === null ? `a task of ${model}` : requestOf(fault)} of ${accountName(id)} comes`;
  return `When ${comes},${often} ${fault === null ? "its outcome is" : "respond with"}`;
}

function requestOf({ method, path }: NonNullable<Rule["fault"]>): string {
  const [known] = Object.values(REQUESTS).find(([, to]) => to.method === method && to.path === path) ?? [];
  return known ?? `${method ?? "any method"} ${isolated(path === undefined ? "any path" : shortPath(path))}`;
}

/** How often a rule still applies. */
function oftenOf(probability = 1, left: number | null, fired: number): string {
  const noun = fired > 0 ? "more time" : "time";
  const times = left === null ? "every time" : left === 1 && fired === 0 ? "once" : formatAmount(left, noun);
  if (probability === 1) return times;
  return `with probability ${probability}${left === null ? "" : `, ${times}`}`;
}

function effectOf({ fault, outcome }: Rule): string {
  return fault === null ? outcomeText(outcome ?? {}) : faultText(fault.fault);
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
      onAct={() => call("DELETE /rules/{rule_id}", String(rule.id))}
      aria-label={`Remove: ${conditionOf(rule)} ${effectOf(rule)}`}
    >
      Remove
    </Action>
  );
}
