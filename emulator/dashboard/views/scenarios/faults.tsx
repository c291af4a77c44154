import { RANGES } from "../../../core/ranges.js";
import { addFault, clearFaults, type Fault } from "../../api.js";
import { Field, NumberField } from "../../parts/controls.js";
import { Empty, Section } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Action, Form, JsonForm } from "../../parts/form.js";
import { shortId } from "../../parts/format.js";
import { Added, choicesOf, type Presets, textOf } from "../../parts/presets.js";
import { overview } from "../../store.js";

type Rule = Fault["rule"];

const KINDS: Presets<Rule["fault"]> = {
  "lost-response": [
    "The connection is lost after the request was processed",
    { kind: "disconnect", when: "after" },
  ],
  "lost-request": [
    "The connection is lost before the request is processed",
    { kind: "disconnect", when: "before" },
  ],
  "error-after": ["500 after the request was processed", { kind: "status", status: 500, when: "after" }],
  error: ["500 internal_error", { kind: "status", status: 500, when: "before" }],
  "bad-gateway": ["502 upstream_provider_error", { kind: "status", status: 502, when: "before" }],
  limited: [
    "429 with Retry-After: 5",
    { kind: "status", status: 429, retry_after_seconds: 5, when: "before" },
  ],
  slow: ["10 s of latency", { kind: "latency", ms: 10_000 }],
  malformed: ["Truncated JSON", { kind: "malformed" }],
  stall: ["No response", { kind: "stall" }],
};

/** What the page calls a fault. */
export function faultText(fault: Rule["fault"]): string {
  return textOf(KINDS, fault);
}

const TARGETS: Presets<Pick<Rule, "method" | "path">> = {
  create: ["Creating a task", { method: "POST", path: "/api/v1/task" }],
  read: ["Reading a task", { method: "GET", path: "/api/v1/task/*" }],
  account: ["Balance and usage", { method: "GET", path: "/api/v1/account/*" }],
  audio: ["Downloading audio", { path: "/audio/*" }],
  any: ["Any request", {}],
};

export function FaultSection() {
  const faults = overview.value?.faults ?? [];
  return (
    <Section title="Faults">
      <FaultForm />
      <JsonForm
        label="Another fault, as JSON"
        example={{ method: "GET", path: "/api/v1/account/*", times: 3, fault: { kind: "latency", ms: 2500 } }}
        submit="Add the JSON"
        // The control plane checks it.
        onSubmit={(rule) => addFault(rule as Rule)}
      />
      <h3>Active</h3>
      {faults.length === 0 ? (
        <Empty>No faults. If several match a request, the first one is used.</Empty>
      ) : (
        <>
          <Added of={faults.map((each) => [faultText(each.rule.fault), scopeOf(each)])} />
          <Action onAct={clearFaults}>Remove all</Action>
        </>
      )}
    </Section>
  );
}

function FaultForm() {
  const { values, bind } = useFields({
    kind: "lost-response",
    target: "create",
    times: "1",
    probability: "",
  });
  const add = async () => {
    const fault = KINDS[values.kind]?.[1];
    if (fault === undefined) return;
    await addFault({
      ...TARGETS[values.target]?.[1],
      ...(values.times !== "" && { times: Number(values.times) }),
      ...(values.probability !== "" && { probability: Number(values.probability) }),
      fault,
    });
  };
  const probability = {
    required: false,
    range: RANGES.probability,
    step: "any",
    placeholder: "always",
  } as const;
  return (
    <Form submit="Add the fault" onSubmit={add}>
      <Field label="Fault" of={choicesOf(KINDS)} {...bind("kind")} />
      <Field label="Requests" of={choicesOf(TARGETS)} {...bind("target")} />
      <div class="fields">
        <NumberField label="Times" required={false} range={RANGES.times} {...bind("times")} />
        <NumberField label="Probability" {...probability} {...bind("probability")} />
      </div>
    </Form>
  );
}

/** The requests that a fault still applies to. */
function scopeOf({ rule: { method, path, probability, account_id: account }, left }: Fault): string {
  const [known] = Object.values(TARGETS).find(([, to]) => to.method === method && to.path === path) ?? [];
  const target = known ?? `${method ?? "any method"} ${path ?? "any path"}`;
  const times = left === null ? "unlimited" : left === 1 ? "once" : `${left} times`;
  const likelihood = probability === undefined ? "" : `, probability ${probability}`;
  return `${target} · ${times}${likelihood}${account === undefined ? "" : ` · account ${shortId(account)}`}`;
}
