import { addFault, clearFaults, type Fault } from "../api.js";
import { useFields } from "../parts/calls.js";
import { Action, Choice, Field, Form, JsonForm } from "../parts/controls.js";
import { Empty, Section } from "../parts/display.js";
import { overview } from "../store.js";

type Rule = Fault["rule"];

const KINDS: readonly { name: string; text: string; fault: Rule["fault"] }[] = [
  {
    name: "lost-response",
    text: "The connection is lost after the request was processed",
    fault: { kind: "disconnect", when: "after" },
  },
  {
    name: "lost-request",
    text: "The connection is lost before the request is processed",
    fault: { kind: "disconnect", when: "before" },
  },
  {
    name: "error-after",
    text: "500 after the request was processed",
    fault: { kind: "status", status: 500, when: "after" },
  },
  { name: "error", text: "500 internal_error", fault: { kind: "status", status: 500, when: "before" } },
  {
    name: "bad-gateway",
    text: "502 upstream_provider_error",
    fault: { kind: "status", status: 502, when: "before" },
  },
  {
    name: "limited",
    text: "429 with Retry-After: 5",
    fault: { kind: "status", status: 429, retry_after_seconds: 5, when: "before" },
  },
  { name: "slow", text: "10 s of latency", fault: { kind: "latency", ms: 10_000 } },
  { name: "malformed", text: "Truncated JSON", fault: { kind: "malformed" } },
  { name: "stall", text: "No response", fault: { kind: "stall" } },
];

const TARGETS: readonly { name: string; text: string; target: Pick<Rule, "method" | "path"> }[] = [
  { name: "create", text: "Creating a task", target: { method: "POST", path: "/api/v1/task" } },
  { name: "read", text: "Reading a task", target: { method: "GET", path: "/api/v1/task/*" } },
  { name: "account", text: "Balance and usage", target: { method: "GET", path: "/api/v1/account/*" } },
  { name: "audio", text: "Downloading audio", target: { path: "/audio/*" } },
  { name: "any", text: "Any request", target: {} },
];

export function FaultSection() {
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
      <Active />
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
    const fault = KINDS.find(({ name }) => name === values.kind)?.fault;
    if (fault === undefined) return;
    await addFault({
      ...TARGETS.find(({ name }) => name === values.target)?.target,
      ...(values.times !== "" && { times: Number(values.times) }),
      ...(values.probability !== "" && { probability: Number(values.probability) }),
      fault,
    });
  };
  return (
    <Form submit="Add the fault" onSubmit={add}>
      <Choice label="Fault" of={KINDS.map(({ name, text }) => [name, text])} {...bind("kind")} />
      <Choice label="Requests" of={TARGETS.map(({ name, text }) => [name, text])} {...bind("target")} />
      <div class="fields">
        <Field label="Times" type="number" min={1} step={1} {...bind("times")} />
        <Field
          label="Probability"
          type="number"
          min={0}
          max={1}
          step="any"
          placeholder="always"
          {...bind("probability")}
        />
      </div>
    </Form>
  );
}

function Active() {
  const faults = overview.value?.faults ?? [];
  if (faults.length === 0)
    return <Empty>No faults. If several match a request, the first one is used.</Empty>;
  return (
    <>
      <ol class="armed">
        {faults.map((fault, index) => (
          <Item key={index} fault={fault} />
        ))}
      </ol>
      <Action onAct={clearFaults}>Remove all</Action>
    </>
  );
}

function Item({ fault: { rule, left } }: { fault: Fault }) {
  const { method, path, fault, probability } = rule;
  const json = JSON.stringify(fault);
  const target = TARGETS.find((each) => each.target.method === method && each.target.path === path);
  const times = left === null ? "unlimited" : left === 1 ? "once" : `${left} times`;
  return (
    <li>
      <strong>{KINDS.find((each) => JSON.stringify(each.fault) === json)?.text ?? json}</strong>
      <br />
      <small>
        {target?.text ?? `${method ?? "any method"} ${path ?? "any path"}`} · {times}
        {probability !== undefined && `, probability ${probability}`}
      </small>
    </li>
  );
}
