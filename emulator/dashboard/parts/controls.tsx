import { type ComponentChildren, createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import { RANGES, type Range } from "../../core/ranges.js";
import type { FieldMessages } from "./validation.js";

/** What is wrong with the fields of a form. */
export const Messages = createContext<FieldMessages>({});

/** Values to choose from, with their texts if these differ. */
export type Choices<Value extends string = string> =
  | readonly (Value | readonly [value: Value, text: string])[]
  | Readonly<Record<Value, string>>;

/**
 * A labeled control: a choice with `of`, several lines with `rows`, otherwise one line. It is long because the three have the same label,
 * hint and message.
 */
export function Field<Value extends string = string>(props: {
  label: string;
  value: Value;
  onChange(value: Value): void;
  /** The path that the control plane has for the value. In a form, its message stands at this field. */
  name?: string;
  /** The rule for the value. */
  hint?: ComponentChildren;
  required?: boolean;
  /** Takes the focus when its popover opens. */
  autofocus?: boolean;
  placeholder?: string;
  of?: Choices<Value>;
  rows?: number;
  type?: "text" | "number" | "search";
  min?: number | undefined;
  max?: number | undefined;
  step?: number | "any";
  maxLength?: number;
}) {
  const { label, value, onChange, hint, of, type = "text", ...rest } = props;
  const id = useId();
  const message = useContext(Messages)[rest.name ?? ""];
  const described = [hint !== undefined && `${id}-hint`, message !== undefined && `${id}-problem`];
  const control = {
    ...rest,
    id,
    value,
    "aria-describedby": described.filter((each) => each !== false).join(" ") || undefined,
    "aria-invalid": message === undefined ? undefined : true,
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
          {choicesWith(value, of).map(([choice, text]) => (
            <option key={choice} value={choice} selected={choice === value}>
              {text}
            </option>
          ))}
        </select>
      ) : rest.rows !== undefined ? (
        <textarea {...control} />
      ) : (
        <input {...control} type={type} list={undefined} autocomplete="off" />
      )}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
      {message !== undefined && (
        <small id={`${id}-problem`} class="problem" role="alert">
          {message}
        </small>
      )}
    </div>
  );
}

/** The choices with their texts. An unknown value, such as one typed into the address, is a choice too: the control shows it. */
function choicesWith(value: string, of: Choices): (readonly [value: string, text: string])[] {
  const given: Choices & readonly unknown[] = Array.isArray(of) ? of : Object.entries(of);
  const choices = given.map((each) => (typeof each === "string" ? ([each, each] as const) : each));
  return choices.some(([choice]) => choice === value) ? choices : [...choices, [value, value]];
}

const RANGE_OF: Readonly<Record<string, Range>> = RANGES;

/** A number in the range of its name. It is whole, unless `step` says otherwise. */
export function NumberField(props: Parameters<typeof Field>[0]) {
  const [min, max] = RANGE_OF[props.name ?? ""] ?? [];
  return <Field step={1} required min={min} max={max} {...props} type="number" />;
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
