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
  const { label, hint, onChange, type = "text", ...rest } = props;
  const names = useNames(hint);
  return (
    <Labeled names={names} label={label} hint={hint} required={rest.required}>
      <input
        {...rest}
        {...names.ofControl}
        list={undefined}
        type={type}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Labeled>
  );
}

export function TextArea(props: Common & { required?: boolean; rows?: number; placeholder?: string }) {
  const { label, hint, onChange, ...rest } = props;
  const names = useNames(hint);
  return (
    <Labeled names={names} label={label} hint={hint} required={rest.required}>
      <textarea
        {...rest}
        {...names.ofControl}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Labeled>
  );
}

/** One of a few. */
export function Choice(props: Common & { of: readonly (readonly [value: string, text: string])[] }) {
  const { label, hint, value, onChange, of } = props;
  const names = useNames(hint);
  return (
    <Labeled names={names} label={label} hint={hint}>
      <select
        {...names.ofControl}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {of.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </Labeled>
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

interface Names {
  control: string;
  hint: string;
  ofControl: { id: string; "aria-describedby"?: string };
}

/** By what a control, its label and its rule know each other. */
function useNames(hint: ComponentChildren): Names {
  const id = useId();
  const names = { control: id, hint: `${id}-hint` };
  return { ...names, ofControl: { id, ...(hint !== undefined && { "aria-describedby": names.hint }) } };
}

function Labeled(props: {
  names: Names;
  label: string;
  hint: ComponentChildren;
  required?: boolean | undefined;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={props.names.control}>
        {props.label}
        {props.required === true && <span aria-hidden="true"> *</span>}
      </label>
      {props.children}
      {props.hint !== undefined && (
        <small id={props.names.hint} class="hint">
          {props.hint}
        </small>
      )}
    </div>
  );
}
