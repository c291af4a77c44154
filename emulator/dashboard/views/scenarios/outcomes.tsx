import { useState } from "preact/hooks";
import { isModel, MODELS, type Model } from "../../../../src/contract/service.js";
import { ask, controlPlane, type Outcome } from "../../client/client.js";
import { overview } from "../../live/store.js";
import { Choice } from "../../parts/field.js";
import { Act, Form } from "../../parts/form.js";
import { JsonForm } from "../../parts/json-form.js";
import { Empty, Section } from "../../parts/section.js";
import { describeOutcome, OUTCOMES, outcomeNamed } from "../tasks/outcomes.js";

export function OutcomeSection() {
  return (
    <Section title="Outcomes">
      <OutcomeForm />
      <JsonForm
        label="Another outcome, as JSON"
        example={{ outcome: "success", queue_seconds: 20, process_seconds: 40, clips: 3 }}
        submit="For the next task of provider_a"
        onSubmit={async (outcome) => {
          const params = { path: { model: "provider_a" } };
          // The control plane checks it, and says in words what is wrong.
          const body = outcome as Outcome;
          await ask(controlPlane.POST("/_emulator/providers/{model}/next", { params, body }));
        }}
      />
      <h3>Waiting</h3>
      {MODELS.map((model) => (
        <Script key={model} model={model} />
      ))}
    </Section>
  );
}

function OutcomeForm() {
  const [model, setModel] = useState<Model>("provider_a");
  const [name, setName] = useState("moderated");
  const params = { path: { model } };
  const next = async () => {
    const body = outcomeNamed(name) ?? {};
    await ask(controlPlane.POST("/_emulator/providers/{model}/next", { params, body }));
  };
  const always = async () => {
    const body = outcomeNamed(name);
    await ask(controlPlane.PUT("/_emulator/providers/{model}/always", { params, body }));
  };
  return (
    <Form
      submit="For its next task"
      onSubmit={next}
      buttons={({ tell, isBusy }) => (
        <button type="button" class="secondary" disabled={isBusy} onClick={() => void tell(always)}>
          From now on
        </button>
      )}
    >
      <Choice
        label="What happens"
        value={name}
        of={OUTCOMES.map((each) => [each.name, each.words] as const)}
        onChange={setName}
      />
      <Choice
        label="To whose task"
        value={model}
        of={MODELS.map((each) => [each, each] as const)}
        onChange={(chosen) => isModel(chosen) && setModel(chosen)}
      />
    </Form>
  );
}

function Script({ model }: { model: Model }) {
  const script = overview.value?.providers[model];
  if (script === undefined) return null;
  const { next, always } = script;
  if (next.length === 0 && always === null) {
    return <Empty>{model} has been told nothing: its tasks succeed, in a time of their own.</Empty>;
  }
  const params = { path: { model } };
  return (
    <>
      <ol class="armed">
        {next.map((outcome, index) => (
          <li key={index}>
            <strong>{describeOutcome(outcome)}</strong>
            <br />
            <small>
              {model} · {index === 0 ? "its next task" : `the one after, ${index + 1}.`}
            </small>
          </li>
        ))}
        {always !== null && (
          <li>
            <strong>{describeOutcome(always)}</strong>
            <br />
            <small>{model} · every other task, from now on</small>
          </li>
        )}
      </ol>
      <div class="buttons">
        {next.length > 0 && (
          <Act
            onAct={async () => {
              await ask(controlPlane.DELETE("/_emulator/providers/{model}/next", { params }));
            }}
          >
            Take back the next
          </Act>
        )}
        {always !== null && (
          <Act
            onAct={async () => {
              await ask(controlPlane.PUT("/_emulator/providers/{model}/always", { params, body: null }));
            }}
          >
            End the lasting one
          </Act>
        )}
      </div>
    </>
  );
}
