import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { type Call, useCall } from "./calls.js";
import { Problem } from "./display.js";

interface Labels {
  label: string;
  /** The rule for the value. */
  hint?: ComponentChildren;
  required?: boolean;
}

interface Control extends Labels {
  value: string;
  onChange(value: string): void;
}

export function Field(
  props: Control & {
    type?: "text" | "number" | "search";
    min?: number;
    max?: number;
    step?: number | "any";
    placeholder?: string;
  },
) {
  const { label, hint, onChange, type = "text", ...rest } = props;
  return (
    <Labeled label={label} hint={hint} required={rest.required ?? false}>
      {(names) => (
        <input
          {...rest}
          {...names}
          list={undefined}
          type={type}
          autocomplete="off"
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Labeled>
  );
}

export function TextArea(props: Control & { rows?: number; placeholder?: string }) {
  const { label, hint, onChange, ...rest } = props;
  return (
    <Labeled label={label} hint={hint} required={rest.required ?? false}>
      {(names) => (
        <textarea {...rest} {...names} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
      )}
    </Labeled>
  );
}

export function Choice(props: Control & { of: readonly (readonly [value: string, text: string])[] }) {
  const { label, hint, value, onChange, of } = props;
  return (
    <Labeled label={label} hint={hint}>
      {(names) => (
        <select {...names} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {of.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labeled>
  );
}

/** Connects a control with its label and its hint. */
function Labeled(
  props: Labels & { children(names: { id: string; "aria-describedby"?: string }): ComponentChildren },
) {
  const { label, hint, required, children } = props;
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required === true && <span aria-hidden="true"> *</span>}
      </label>
      {children({ id, ...(hint !== undefined && { "aria-describedby": hintId }) })}
      {hint !== undefined && (
        <small id={hintId} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
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
        <TextArea label="JSON" required rows={3} value={text} onChange={setText} />
      </Form>
    </details>
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A button that makes a change, and shows why it failed. */
export function Action(props: {
  onAct(): Promise<unknown>;
  children: ComponentChildren;
  class?: string;
  label?: string;
}) {
  const { onAct, children, class: classes = "small secondary", label } = props;
  const { isBusy, error, run } = useCall();
  return (
    <>
      <button
        type="button"
        class={classes}
        disabled={isBusy}
        aria-label={label}
        onClick={() => void run(onAct)}
      >
        {children}
      </button>
      <Problem error={error} />
    </>
  );
}
