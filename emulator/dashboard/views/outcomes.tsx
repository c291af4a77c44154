import { isModel, MODELS, type Model } from "../../../src/contract/service.js";
import { addNextOutcome, clearNextOutcomes, type Outcome, setAlways } from "../api.js";
import { useFields } from "../parts/calls.js";
import { Action, Choice, Form, JsonForm } from "../parts/controls.js";
import { Empty, Section } from "../parts/display.js";
import { overview } from "../store.js";

export const OUTCOMES: readonly { name: string; text: string; outcome: Outcome }[] = [
  { name: "success", text: "Success", outcome: { outcome: "success" } },
  { name: "quick", text: "Success within a second", outcome: { outcome: "success", process_seconds: 1 } },
  { name: "first-read", text: "Success at the first read", outcome: { outcome: "success", polls: 1 } },
  {
    name: "moderated",
    text: "Failure: content_moderation, not retryable",
    outcome: { outcome: "failure", error_code: "content_moderation" },
  },
  {
    name: "upstream",
    text: "Failure: upstream_provider_error, retryable",
    outcome: { outcome: "failure", error_code: "upstream_provider_error" },
  },
  {
    name: "limited",
    text: "Failure: rate_limited, retryable after 30 s",
    outcome: { outcome: "failure", error_code: "rate_limited", retry_after_seconds: 30 },
  },
  { name: "hang", text: "Hangs: timeout after an hour", outcome: { outcome: "hang" } },
  { name: "reject", text: "Rejected at submission: 502, no task", outcome: { outcome: "reject" } },
  {
    name: "not-storable",
    text: "Success, but the service can't store the audio",
    outcome: { outcome: "success", storable: false },
  },
  { name: "no-clips", text: "Success without clips", outcome: { outcome: "success", clips: 0 } },
];

export function outcomeNamed(name: string): Outcome | null {
  return OUTCOMES.find((each) => each.name === name)?.outcome ?? null;
}

export function OutcomeSection() {
  return (
    <Section title="Outcomes">
      <OutcomeForm />
      <JsonForm
        label="Another outcome, as JSON"
        example={{ outcome: "success", queue_seconds: 20, process_seconds: 40, clips: 3 }}
        submit="For the next task of provider_a"
        // The control plane checks it.
        onSubmit={(outcome) => addNextOutcome("provider_a", outcome as Outcome)}
      />
      <h3>Active</h3>
      {MODELS.map((model) => (
        <Script key={model} model={model} />
      ))}
    </Section>
  );
}

function OutcomeForm() {
  const { values, bind } = useFields({ outcome: "moderated", model: "provider_a" });
  const model = isModel(values.model) ? values.model : "provider_a";
  const outcome = outcomeNamed(values.outcome) ?? {};
  return (
    <Form
      submit="For its next task"
      onSubmit={() => addNextOutcome(model, outcome)}
      buttons={({ run, isBusy }) => (
        <button
          type="button"
          class="secondary"
          disabled={isBusy}
          onClick={() => void run(() => setAlways(model, outcome))}
        >
          For all its tasks
        </button>
      )}
    >
      <Choice label="Outcome" of={OUTCOMES.map(({ name, text }) => [name, text])} {...bind("outcome")} />
      <Choice label="Provider" of={MODELS.map((each) => [each, each])} {...bind("model")} />
    </Form>
  );
}

/** The outcomes that were set for a provider. */
function Script({ model }: { model: Model }) {
  const { next = [], always = null } = overview.value?.providers[model] ?? {};
  if (next.length === 0 && always === null)
    return <Empty>{model} has no outcome set: its tasks succeed after a random time.</Empty>;
  return (
    <>
      <ol class="armed">
        {next.map((outcome, index) => (
          <Item
            key={index}
            outcome={outcome}
            scope={`${model} · ${index === 0 ? "next task" : `task ${index + 1}`}`}
          />
        ))}
        {always !== null && <Item outcome={always} scope={`${model} · all other tasks`} />}
      </ol>
      <div class="buttons">
        {next.length > 0 && <Action onAct={() => clearNextOutcomes(model)}>Clear the next</Action>}
        {always !== null && <Action onAct={() => setAlways(model, null)}>Clear the one for all</Action>}
      </div>
    </>
  );
}

function Item({ outcome, scope }: { outcome: Outcome; scope: string }) {
  const json = JSON.stringify(outcome);
  return (
    <li>
      <strong>{OUTCOMES.find((each) => JSON.stringify(each.outcome) === json)?.text ?? json}</strong>
      <br />
      <small>{scope}</small>
    </li>
  );
}
