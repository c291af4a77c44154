import { MODELS, type Model } from "../../../../src/contract/service.js";
import { addNextOutcome, clearNextOutcomes, type Outcome, type Overview, setAlways } from "../../api.js";
import { Field } from "../../parts/controls.js";
import { Button, Empty, Section } from "../../parts/display.js";
import { useFields } from "../../parts/fields.js";
import { Action, Form, JsonForm } from "../../parts/form.js";
import { shortId } from "../../parts/format.js";
import { Added, choicesOf, type Presets, textOf } from "../../parts/presets.js";
import { overview } from "../../store.js";

export const OUTCOMES: Presets<Outcome> = {
  success: ["Success", { outcome: "success" }],
  quick: ["Success within a second", { outcome: "success", process_seconds: 1 }],
  "first-read": ["Success at the first read", { outcome: "success", polls: 1 }],
  moderated: [
    "Failure: content_moderation, not retryable",
    { outcome: "failure", error_code: "content_moderation" },
  ],
  upstream: [
    "Failure: upstream_provider_error, retryable",
    { outcome: "failure", error_code: "upstream_provider_error" },
  ],
  limited: [
    "Failure: rate_limited, retryable after 30 s",
    { outcome: "failure", error_code: "rate_limited", retry_after_seconds: 30 },
  ],
  hang: ["Hangs: timeout after an hour", { outcome: "hang" }],
  reject: ["Rejected at submission: 502, no task", { outcome: "reject" }],
  "not-storable": ["Success, but the service can't store the audio", { outcome: "success", storable: false }],
  "no-clips": ["Success without clips", { outcome: "success", clips: 0 }],
};

export function outcomeNamed(name: string): Outcome | null {
  return OUTCOMES[name]?.[1] ?? null;
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
  const { values, bind } = useFields<{ outcome: string; model: Model }>({
    outcome: "moderated",
    model: "provider_a",
  });
  const { model } = values;
  const outcome = outcomeNamed(values.outcome) ?? {};
  return (
    <Form
      submit="For its next task"
      onSubmit={() => addNextOutcome(model, outcome)}
      buttons={({ run, isBusy }) => (
        <Button class="secondary" isBusy={isBusy} onClick={() => void run(() => setAlways(model, outcome))}>
          For all its tasks
        </Button>
      )}
    >
      <Field label="Outcome" of={choicesOf(OUTCOMES)} {...bind("outcome")} />
      <Field label="Provider" of={MODELS} {...bind("model")} />
    </Form>
  );
}

/** The outcomes that were set for a provider: for single accounts, and for all. */
function Script({ model }: { model: Model }) {
  const { accounts = [], providers } = overview.value ?? {};
  const own = accounts.flatMap(({ account_id: id, providers }) =>
    providers === null ? [] : [{ ...providers[model], of: `${model}, account ${shortId(id)}` }],
  );
  const scripts = [...own, ...(providers === undefined ? [] : [{ ...providers[model], of: model }])];
  const added = scripts.flatMap(rowsOf);
  if (added.length === 0)
    return <Empty>{model} has no outcome set: its tasks succeed after a random time.</Empty>;
  return (
    <>
      <Added of={added} />
      <div class="buttons">
        {scripts.some(({ next }) => next.length > 0) && (
          <Action onAct={() => clearNextOutcomes(model)}>Clear the next</Action>
        )}
        {scripts.some(({ always }) => always !== null) && (
          <Action onAct={() => setAlways(model, null)}>Clear those for all other tasks</Action>
        )}
      </div>
    </>
  );
}

function rowsOf({ next, always, of }: Overview["providers"][Model] & { of: string }) {
  const rows = next.map((outcome, index): [string, string] => [
    textOf(OUTCOMES, outcome),
    `${of} · ${index === 0 ? "next task" : `task ${index + 1}`}`,
  ]);
  const lasting: typeof rows = always === null ? [] : [[textOf(OUTCOMES, always), `${of} · all other tasks`]];
  return [...rows, ...lasting];
}
