import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { type Call, reasonOf, useCall } from "./calls.js";
import { Button, Problem } from "./display.js";

/** Values to choose from, with their texts if these differ. */
export type Choices<Value extends string = string> =
  | readonly (Value | readonly [value: Value, text: string])[]
  | Readonly<Record<Value, string>>;

/** A labeled control: a choice with `of`, several lines with `rows`, otherwise one line. */
export function Field<Value extends string = string>(props: {
  label: string;
  value: Value;
  onChange(value: Value): void;
  /** The rule for the value. */
  hint?: ComponentChildren;
  required?: boolean;
  placeholder?: string;
  of?: Choices<Value>;
  rows?: number;
  type?: "text" | "number" | "search";
  min?: number;
  max?: number;
  step?: number | "any";
}) {
  const { label, value, onChange, hint, of, type = "text", ...rest } = props;
  const id = useId();
  const hintId = `${id}-hint`;
  const control = {
    ...rest,
    id,
    value,
    ...(hint !== undefined && { "aria-describedby": hintId }),
    // A choice has no other values than those of the type.
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value as Value),
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {rest.required === true && <span aria-hidden="true"> *</span>}
      </label>
      {of !== undefined ? (
        <select {...control}>
          {(Array.isArray(of) ? of : Object.entries(of)).map((each: string | readonly [string, string]) => {
            const [choice, text] = typeof each === "string" ? [each, each] : each;
            return (
              <option key={choice} value={choice} selected={choice === value}>
                {text}
              </option>
            );
          })}
        </select>
      ) : rest.rows !== undefined ? (
        <textarea {...control} />
      ) : (
        <input {...control} type={type} list={undefined} autocomplete="off" />
      )}
      {hint !== undefined && (
        <small id={hintId} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

/** A whole number, unless `step` says otherwise. */
export function NumberField(props: Parameters<typeof Field>[0]) {
  return <Field step={1} required {...props} type="number" />;
}

export function Flag(props: { label: string; value: boolean; onChange(value: boolean): void }) {
  const { label, value, onChange } = props;
  return (
    <label class="flag">
      <input
        type="checkbox"
        checked={value}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** A button that makes a change, and shows why it failed. */
export function Action({
  onAct,
  ...rest
}: Omit<ButtonHTMLAttributes, "onClick"> & { onAct(): Promise<unknown> }) {
  const { isBusy, error, run } = useCall();
  return (
    <>
      <Button {...rest} disabled={isBusy} onClick={() => void run(onAct)} />
      <Problem error={error} />
    </>
  );
}

/** A form that makes a change, and shows why it failed. */
export function Form(props: {
  submit: string;
  onSubmit(): Promise<unknown>;
  disabled?: boolean;
  danger?: boolean;
  children?: ComponentChildren;
  /** More buttons beside the one that submits. */
  buttons?(call: Call): ComponentChildren;
}) {
  const { submit, onSubmit, disabled = false, danger = false, children, buttons } = props;
  const call = useCall();
  return (
    <form
      onInput={call.clear}
      onSubmit={(event) => {
        event.preventDefault();
        void call.run(onSubmit);
      }}
    >
      {children}
      <Problem error={call.error} />
      <div class="buttons">
        <button
          type="submit"
          class={danger ? "danger" : ""}
          disabled={call.isBusy || disabled}
          aria-busy={call.isBusy}
        >
          {submit}
        </button>
        {buttons?.(call)}
      </div>
    </form>
  );
}

/** A form for any JSON that the control plane accepts. */
export function JsonForm(props: {
  label: string;
  example: object;
  submit: string;
  onSubmit(value: unknown): Promise<unknown>;
}) {
  const { label, example, submit, onSubmit } = props;
  const [text, setText] = useState(JSON.stringify(example));
  return (
    <details>
      <summary>{label}</summary>
      <Form submit={submit} onSubmit={async () => onSubmit(parseJson(text))}>
        <Field label="JSON" required rows={3} value={text} onChange={setText} />
      </Form>
    </details>
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${reasonOf(error)}`);
  }
}
