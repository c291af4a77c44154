import { signal } from "@preact/signals";
import { isModel, isTaskType, MODELS, priceOf, TASK_TYPES_BY_MODEL } from "../../../src/contract/service.js";
import { goTo, linkTo } from "../address.js";
import { sendRequest } from "../api.js";
import { Field, Flag, Form, NumberField } from "../parts/controls.js";
import { Code, Section } from "../parts/display.js";
import { formatAmount } from "../parts/format.js";
import { choicesOf } from "../parts/presets.js";
import { account, overview } from "../store.js";
import { OUTCOMES, outcomeNamed } from "./outcomes.js";
import { Crumbs, checkSent } from "./task.js";
import {
  curlCommand,
  type Draft,
  fieldsOf,
  type InputField,
  type Mode,
  requestOf,
  sdkCode,
} from "./task-input.js";

const EMPTY: Draft = {
  model: "provider_a",
  type: "music",
  mode: "inspiration",
  format: "",
  outcome: "",
  fields: { gpt_description_prompt: "rain in Lisbon" },
};

const STORAGE_KEY = "async-music-draft";

/** The form survives a reload, but not the end of the tab. It contains no key. */
const draft = signal<Draft>(EMPTY);

/** The outcome is not restored: a failure that was requested before would be a surprise. */
export function restoreDraft(): void {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  if (stored === null) return;
  try {
    draft.value = { ...EMPTY, ...JSON.parse(stored), outcome: "" };
  } catch {
    sessionStorage.removeItem(STORAGE_KEY);
  }
}

function change(changes: Partial<Draft>): void {
  draft.value = { ...draft.value, ...changes };
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(draft.value));
}

/** Submits a task, and shows the same call as code. */
export function NewTask() {
  const { model, type } = draft.value;
  const request = requestOf(draft.value);
  const outcome = outcomeNamed(draft.value.outcome);
  const credits = priceOf(model, type);
  const available = account.value?.balance.available ?? 0;
  return (
    <>
      <Crumbs />
      <h1>New task</h1>
      <div class="columns">
        <Section title="Request">
          <Form submit={`Submit for ${formatAmount(credits, "credit")}`} onSubmit={submit}>
            <Kind />
            {fieldsOf(draft.value).map((field) => (
              <Input key={`${model} ${type} ${field.name}`} field={field} />
            ))}
            <Field
              label="Audio format"
              value={draft.value.format}
              of={[["", "the provider's own"], "mp3"]}
              onChange={(format) => change({ format: format === "mp3" ? "mp3" : "" })}
            />
            <Field
              label="Outcome"
              value={draft.value.outcome}
              of={[["", "as configured"], ...choicesOf(OUTCOMES)]}
              onChange={(outcome) => change({ outcome })}
            />
            {available < credits && (
              <p class="hint">
                The account has {formatAmount(available, "credit")}: the service will respond with 402.{" "}
                <a href={linkTo("/account")}>Top up</a>
              </p>
            )}
          </Form>
        </Section>
        <div>
          <Section title="With the SDK">
            <Code text={sdkCode(request, outcome)} label="SDK code" />
          </Section>
          <Section title="With curl">
            <Code text={curlCommand(request, outcome, overview.value?.service ?? "")} label="curl command" />
          </Section>
        </div>
      </div>
    </>
  );
}

const OUTCOME_UNKNOWN = " A task may have been created: see Tasks.";

async function submit(): Promise<void> {
  const accountId = account.peek()?.account_id ?? "";
  const outcome = outcomeNamed(draft.peek().outcome);
  const sent = await sendRequest(accountId, {
    method: "POST",
    path: "/api/v1/task",
    body: requestOf(draft.peek()),
    ...(outcome !== null && { outcome }),
  });
  const isUnknown = sent.ended === "disconnect" || (sent.status ?? 0) >= 500;
  checkSent(sent, isUnknown ? OUTCOME_UNKNOWN : "");
  const taskId: unknown = Object(Object(sent.body).data).task_id;
  if (typeof taskId !== "string") throw new Error(`The response can't be parsed.${OUTCOME_UNKNOWN}`);
  goTo(`/tasks/${taskId}`);
}

const MODES = [
  ["inspiration", "a description"],
  ["custom", "your lyrics or styles"],
  ["continuation", "a clip to continue"],
] as const;

function Kind() {
  const { model, type, mode } = draft.value;
  return (
    <div class="fields">
      <Field
        label="Model"
        value={model}
        of={MODELS}
        onChange={(chosen) => {
          if (!isModel(chosen)) return;
          const isOffered = TASK_TYPES_BY_MODEL[chosen].includes(type);
          change({ model: chosen, type: isOffered ? type : "music" });
        }}
      />
      <Field
        label="Task"
        value={type}
        of={TASK_TYPES_BY_MODEL[model]}
        onChange={(chosen) => isTaskType(chosen) && change({ type: chosen })}
      />
      {model === "provider_a" && type === "music" && (
        <Field label="From" value={mode} of={MODES} onChange={(chosen) => change({ mode: chosen as Mode })} />
      )}
    </div>
  );
}

function Input({ field }: { field: InputField }) {
  const { name, label, kind, required = false, hint, choices = [] } = field;
  const value = draft.value.fields[name] ?? "";
  const onChange = (text: string) => change({ fields: { ...draft.value.fields, [name]: text } });
  const common = { label, hint, required, value, onChange };
  switch (kind) {
    case "flag":
      return <Flag label={label} value={value !== ""} onChange={(on) => onChange(on ? "true" : "")} />;
    case "choice":
      return <Field {...common} of={choices.map((each) => [each, each || "none"])} />;
    case "long":
      return <Field {...common} rows={3} />;
    case "number":
      return <NumberField {...common} step="any" />;
    case "text":
      return <Field {...common} />;
  }
}
