import { isModel, isTaskType, priceOf, TASK_TYPES_BY_MODEL } from "../../../../src/contract/service.js";
import { account, overview } from "../../live/store.js";
import { Code } from "../../parts/code.js";
import { Choice, Field, Flag, TextArea } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { formatAmount } from "../../parts/format.js";
import { Section } from "../../parts/section.js";
import { goTo, linkTo } from "../../place.js";
import { asCurl, asSdkCode } from "./as-code.js";
import { changeDraft, draft, type Mode } from "./draft.js";
import { fieldsOf, type InputField, requestOf } from "./input-fields.js";
import { OUTCOMES, outcomeNamed } from "./outcomes.js";
import { expectSuccess, send } from "./task-acts.js";

/** Puts a task together, and shows the same call as a program would make it. */
export function NewTask() {
  const { model, type } = draft.value;
  const request = requestOf(draft.value);
  const outcome = outcomeNamed(draft.value.outcome);
  const credits = priceOf(model, type);
  const available = account.value?.balance.available ?? 0;
  return (
    <>
      <nav aria-label="Path" class="crumbs">
        <span aria-hidden="true">←</span> <a href={linkTo("/tasks")}>Tasks</a>
      </nav>
      <h1>New task</h1>
      <div class="columns">
        <Section title="Request">
          <Form submit={`Submit for ${formatAmount(credits, "credit")}`} onSubmit={submit}>
            <What />
            {fieldsOf(draft.value).map((field) => (
              <Input key={`${model} ${type} ${field.name}`} field={field} />
            ))}
            <How />
            {available < credits && (
              <p class="hint">
                The account has {formatAmount(available, "credit")}: the service will answer 402.{" "}
                <a href={linkTo("/account")}>Top up</a>
              </p>
            )}
          </Form>
        </Section>
        <div>
          <Section title="With the SDK">
            <Code text={asSdkCode(request, outcome)} label="SDK code" />
          </Section>
          <Section title="With curl">
            <Code text={asCurl(request, outcome, overview.value?.service ?? "")} label="curl command" />
          </Section>
        </div>
      </div>
    </>
  );
}

const OUTCOME_UNKNOWN = " A task may have been created all the same: see Tasks.";

async function submit(): Promise<void> {
  const { outcome } = draft.peek();
  const accountId = account.peek()?.account_id ?? "";
  const asked = outcomeNamed(outcome);
  const sent = await send(accountId, {
    method: "POST",
    path: "/api/v1/task",
    body: requestOf(draft.peek()),
    ...(asked !== null && { outcome: asked as { outcome: string } }),
  });
  const isUnknown = sent.ended === "disconnect" || (sent.status ?? 0) >= 500;
  expectSuccess(sent, isUnknown ? OUTCOME_UNKNOWN : "");
  const taskId = taskIdOf(sent.body);
  if (taskId === "") throw new Error(`The answer can't be read.${OUTCOME_UNKNOWN}`);
  goTo(`/tasks/${taskId}`);
}

function taskIdOf(body: unknown): string {
  const { data } = body as { data?: { task_id?: string } };
  return data?.task_id ?? "";
}

function What() {
  const { model, type, mode } = draft.value;
  return (
    <div class="fields">
      <Choice
        label="Model"
        value={model}
        of={[
          ["provider_a", "provider_a"],
          ["provider_b", "provider_b"],
        ]}
        onChange={(chosen) => {
          if (!isModel(chosen)) return;
          const isOffered = TASK_TYPES_BY_MODEL[chosen].includes(type);
          changeDraft({ model: chosen, type: isOffered ? type : "music" });
        }}
      />
      <Choice
        label="Task"
        value={type}
        of={TASK_TYPES_BY_MODEL[model].map((each) => [each, each] as const)}
        onChange={(chosen) => isTaskType(chosen) && changeDraft({ type: chosen })}
      />
      {model === "provider_a" && type === "music" && (
        <Choice
          label="From"
          value={mode}
          of={[
            ["inspiration", "a description"],
            ["custom", "your lyrics or styles"],
            ["continuation", "a clip, to go on"],
          ]}
          onChange={(chosen) => changeDraft({ mode: chosen as Mode })}
        />
      )}
    </div>
  );
}

function Input({ field }: { field: InputField }) {
  const { name, label, kind, required = false, hint, choices = [] } = field;
  const value = draft.value.fields[name] ?? "";
  const onChange = (text: string) => changeDraft({ fields: { ...draft.value.fields, [name]: text } });
  const common = { label, value, onChange, ...(hint !== undefined && { hint }) };
  if (kind === "flag")
    return <Flag label={label} value={value !== ""} onChange={(on) => onChange(on ? "true" : "")} />;
  if (kind === "choice")
    return <Choice {...common} of={choices.map((each) => [each, each || "left out"] as const)} />;
  if (kind === "long") return <TextArea {...common} required={required} rows={3} />;
  return (
    <Field
      {...common}
      required={required}
      {...(kind === "number" ? { type: "number", step: "any" } : { type: "text" })}
    />
  );
}

function How() {
  const { format, outcome } = draft.value;
  return (
    <>
      <Choice
        label="Audio format"
        value={format}
        of={[
          ["", "the provider's own"],
          ["mp3", "mp3"],
        ]}
        onChange={(chosen) => changeDraft({ format: chosen === "mp3" ? "mp3" : "" })}
      />
      <Choice
        label="How it ends"
        value={outcome}
        of={[["", "as it comes"], ...OUTCOMES.map(({ name, words }) => [name, words] as const)]}
        onChange={(chosen) => changeDraft({ outcome: chosen })}
      />
    </>
  );
}
