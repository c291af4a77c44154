import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Common {
  label: string;
  /** The rule that binds here. */
  hint?: ComponentChildren;
  value: string;
  onChange(value: string): void;
}

/** A line of text or a number, with its label and its rule. */
export function Field(
  props: Common & {
    type?: "text" | "number" | "search";
    required?: boolean;
    min?: number;
    max?: number;
    step?: number | "any";
    placeholder?: string;
  },
) {
  const { label, hint, value, onChange, type = "text", ...rest } = props;
  const id = useId();
  return (
    <label>
      <span class="label">
        {label}
        {rest.required === true && <span aria-hidden="true"> *</span>}
      </span>
      <input
        {...rest}
        list={undefined}
        type={type}
        value={value}
        autocomplete="off"
        {...(hint !== undefined && { "aria-describedby": id })}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Hint id={id}>{hint}</Hint>
    </label>
  );
}

export function TextArea(props: Common & { required?: boolean; rows?: number; placeholder?: string }) {
  const { label, hint, value, onChange, ...rest } = props;
  const id = useId();
  return (
    <label>
      <span class="label">
        {label}
        {rest.required === true && <span aria-hidden="true"> *</span>}
      </span>
      <textarea
        {...rest}
        value={value}
        {...(hint !== undefined && { "aria-describedby": id })}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Hint id={id}>{hint}</Hint>
    </label>
  );
}

/** One of a few. */
export function Choice(props: Common & { of: readonly (readonly [value: string, text: string])[] }) {
  const { label, hint, value, onChange, of } = props;
  const id = useId();
  return (
    <label>
      <span class="label">{label}</span>
      <select
        value={value}
        {...(hint !== undefined && { "aria-describedby": id })}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {of.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
      <Hint id={id}>{hint}</Hint>
    </label>
  );
}

export function Flag(props: { label: string; value: boolean; onChange(value: boolean): void }) {
  return (
    <label class="flag">
      <input
        type="checkbox"
        checked={props.value}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}

function Hint({ id, children }: { id: string; children: ComponentChildren }) {
  return children === undefined ? null : (
    <small id={id} class="hint">
      {children}
    </small>
  );
}
