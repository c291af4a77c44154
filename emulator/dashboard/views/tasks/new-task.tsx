import { MODELS, priceOf, TASK_TYPES_BY_MODEL } from "../../../../src/contract/service.js";
import { goTo, linkTo } from "../../address.js";
import { RefusedError, sendRequest } from "../../api.js";
import { Field, Flag } from "../../parts/controls.js";
import { Code, Section } from "../../parts/display.js";
import { Form } from "../../parts/form.js";
import { formatAmount } from "../../parts/format.js";
import { choicesOf } from "../../parts/presets.js";
import { account, accountId, overview } from "../../store.js";
import { OUTCOMES, outcomeNamed } from "../scenarios/outcomes.js";
import { changeDraft, draft } from "./draft.js";
import { Crumbs, checkSent } from "./task.js";
import { curlCommand, type Draft, fieldsOf, type InputField, requestOf, sdkCode } from "./task-input.js";

/** Where the request has what is named otherwise in the draft. */
const PATHS: Partial<Record<keyof Draft, string>> = { type: "task_type", format: "audio_format" };

/** Connects a control to a part of the draft. */
function bind<Name extends keyof Draft>(name: Name) {
  return {
    name: PATHS[name] ?? name,
    value: draft.value[name],
    onChange: (value: Draft[Name]) => changeDraft({ [name]: value }),
  };
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
            <Field label="Audio format" of={[["", "the provider's own"], "mp3"]} {...bind("format")} />
            <Field
              label="Outcome"
              of={{ "": "as configured", ...choicesOf(OUTCOMES) }}
              {...bind("outcome")}
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
  const { model, type, mode, fields } = draft.peek();
  if (model === "provider_a" && type === "music" && mode === "custom") {
    const { prompt = "", tags = "" } = fields;
    const message = "or styles are required";
    if ((prompt + tags).trim() === "")
      throw new RefusedError(`Lyrics ${message}.`, [{ path: "input.prompt", message }]);
  }
  const outcome = outcomeNamed(draft.peek().outcome);
  const sent = await sendRequest(accountId.peek(), {
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

const MODES = {
  inspiration: "a description",
  custom: "your lyrics or styles",
  continuation: "a clip to continue",
};

function Kind() {
  const { model, type } = draft.value;
  return (
    <div class="fields">
      <Field label="Model" of={MODELS} {...bind("model")} />
      <Field label="Task" of={TASK_TYPES_BY_MODEL[model]} {...bind("type")} />
      {model === "provider_a" && type === "music" && <Field label="From" of={MODES} {...bind("mode")} />}
    </div>
  );
}

function Input({ field }: { field: InputField }) {
  const { name, label, kind = "text", required = false, hint, choices = [], ...limits } = field;
  const value = draft.value.fields[name] ?? "";
  const onChange = (text: string) => changeDraft({ fields: { ...draft.value.fields, [name]: text } });
  if (kind === "flag")
    return <Flag label={label} value={value !== ""} onChange={(on) => onChange(on ? "true" : "")} />;
  const control = {
    text: {},
    long: { rows: 3 },
    number: { type: "number", step: "any", ...limits },
    choice: { of: choices.map((each) => [each, each || "none"] as const) },
  } as const;
  return (
    <Field
      label={label}
      name={`input.${name}`}
      required={required}
      value={value}
      onChange={onChange}
      hint={hint}
      {...control[kind]}
    />
  );
}
