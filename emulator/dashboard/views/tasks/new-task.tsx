import { DESCRIBED_INPUTS, noteOf } from "../../../../src/contract/input-texts.js";
import { modesOf } from "../../../../src/contract/inputs.js";
import { priceOf } from "../../../../src/contract/prices.js";
import { MODELS, TASK_TYPES } from "../../../../src/contract/service.js";
import { goTo, linkTo } from "../../address.js";
import { call, RefusedError } from "../../api.js";
import { Field, Flag } from "../../parts/controls.js";
import { Code, Section } from "../../parts/display.js";
import { Form } from "../../parts/form.js";
import { formatAmount } from "../../parts/format.js";
import { account, accountId, overview } from "../../store.js";
import { curlOf } from "../requests/exchange-code.js";
import { choicesOf, OUTCOMES, outcomeNamed } from "../scenarios/presets.js";
import { changeDraft, draft } from "./draft.js";
import { Crumbs, checkSent } from "./task.js";
import {
  type Draft,
  describedBy,
  fieldsOf,
  type InputField,
  numberControl,
  requestOf,
  sdkCode,
} from "./task-input.js";

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
  const curl = curlOf({
    method: "POST",
    url: `${overview.value?.service}/api/v1/task`,
    request_headers: {
      "x-api-key": "",
      "Content-Type": "application/json",
      ...(outcome !== null && { "X-Emulator-Outcome": JSON.stringify(outcome) }),
    },
    request_body: JSON.stringify(request),
  });
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
            <Code text={curl} label="curl command" />
          </Section>
        </div>
      </div>
    </>
  );
}

const OUTCOME_UNKNOWN = " A task may have been created: see Tasks.";

async function submit(): Promise<void> {
  checkOneOf(draft.peek());
  const outcome = outcomeNamed(draft.peek().outcome);
  const sent = await call("POST /accounts/{account_id}/requests", accountId.peek(), {
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

/** Refuses a draft in which all of the fields are blank of which one must not be. */
function checkOneOf(current: Draft): void {
  const { oneOf: [first, ...others] = [], texts } = describedBy(current) ?? {};
  if (first === undefined || [first, ...others].some((name) => current.fields[name]?.trim())) return;
  const message = `or ${others.map((name) => texts?.fields[name]?.label).join(" or ")} is required`;
  throw new RefusedError(`${texts?.fields[first]?.label} ${message}.`, [{ path: `input.${first}`, message }]);
}

function Kind() {
  const { model, type } = draft.value;
  const modes = modesOf(DESCRIBED_INPUTS, model, type);
  const types = TASK_TYPES.filter((each) => modesOf(DESCRIBED_INPUTS, model, each).length > 0);
  const choices = modes.map(({ kind, texts }) => [kind, texts.result] as const);
  return (
    <>
      <div class="fields">
        <Field label="Model" of={MODELS} {...bind("model")} />
        <Field label="Task" of={types} {...bind("type")} />
      </div>
      {modes.length > 1 && <Field label="Result" of={choices} {...bind("mode")} />}
    </>
  );
}

function Input({ field: { name, rule, text } }: { field: InputField }) {
  const { type, choices, isRequired = false } = rule;
  const { label, isLong = false, example } = text;
  const value = draft.value.fields[name] ?? "";
  const onChange = (given: string) => changeDraft({ fields: { ...draft.value.fields, [name]: given } });
  if (type === "boolean")
    return <Flag label={label} value={value !== ""} onChange={(on) => onChange(on ? "true" : "")} />;
  return (
    <Field
      label={label}
      name={`input.${name}`}
      required={isRequired}
      value={value}
      onChange={onChange}
      hint={noteOf(rule, text) || undefined}
      {...numberControl(rule)}
      {...(isLong && { rows: 3 })}
      {...(choices === undefined ? { placeholder: String(example) } : { of: [["", "not set"], ...choices] })}
    />
  );
}
