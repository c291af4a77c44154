import { useState } from "preact/hooks";
import { ask, controlPlane, type Fault } from "../../client/client.js";
import { overview } from "../../live/store.js";
import { Choice, Field } from "../../parts/field.js";
import { Act, Form } from "../../parts/form.js";
import { JsonForm } from "../../parts/json-form.js";
import { Empty, Section } from "../../parts/section.js";
import { describeFault, FAULT_KINDS, TARGETS } from "./fault-words.js";

export function FaultSection() {
  return (
    <Section title="Faults">
      <FaultForm />
      <JsonForm
        label="Another fault, as JSON"
        example={{ method: "GET", path: "/api/v1/account/*", times: 3, fault: { kind: "latency", ms: 2500 } }}
        submit="Arm it as JSON"
        onSubmit={async (rule) => {
          // The control plane checks it, and says in words what is wrong.
          await ask(controlPlane.POST("/_emulator/faults", { body: rule as Fault["rule"] }));
        }}
      />
      <h3>Armed</h3>
      <Armed />
    </Section>
  );
}

function FaultForm() {
  const [kind, setKind] = useState("lost-answer");
  const [target, setTarget] = useState("create");
  const [times, setTimes] = useState("1");
  const [probability, setProbability] = useState("");
  const arm = async () => {
    const fault = FAULT_KINDS.find(({ name }) => name === kind)?.fault;
    const whom = TARGETS.find(({ name }) => name === target)?.target;
    if (fault === undefined) return;
    const body = {
      ...whom,
      ...(times !== "" && { times: Number(times) }),
      ...(probability !== "" && { probability: Number(probability) }),
      fault,
    };
    await ask(controlPlane.POST("/_emulator/faults", { body }));
  };
  return (
    <Form submit="Arm it" onSubmit={arm}>
      <Choice
        label="What goes wrong"
        value={kind}
        of={FAULT_KINDS.map(({ name, words }) => [name, words] as const)}
        onChange={setKind}
      />
      <Choice
        label="For whom"
        value={target}
        of={TARGETS.map(({ name, words }) => [name, words] as const)}
        onChange={setTarget}
      />
      <div class="fields">
        <Field label="Times" type="number" min={1} step={1} value={times} onChange={setTimes} />
        <Field
          label="Chance"
          type="number"
          min={0}
          max={1}
          step="any"
          placeholder="always"
          value={probability}
          onChange={setProbability}
        />
      </div>
    </Form>
  );
}

function Armed() {
  const faults = overview.value?.faults ?? [];
  if (faults.length === 0) {
    return (
      <Empty>Nothing is armed: requests go as they should. Of several that match, the first fires.</Empty>
    );
  }
  return (
    <>
      <ol class="armed">
        {faults.map((fault, index) => {
          const { what, whom, often } = describeFault(fault);
          return (
            <li key={index}>
              <strong>{what}</strong>
              <br />
              <small>
                {whom} · {often}
              </small>
            </li>
          );
        })}
      </ol>
      <Act
        onAct={async () => {
          await ask(controlPlane.DELETE("/_emulator/faults"));
        }}
      >
        Disarm all
      </Act>
    </>
  );
}
