import { type ButtonHTMLAttributes, type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { Range } from "../../core/ranges.js";
import { type Call, reasonOf, useCall } from "./calls.js";
import { Button, Problem } from "./display.js";
import { ANY_FIELD, type FieldMessages, focusFirst, invalidFields, refusalMessages } from "./validation.js";

/** What is wrong with the fields of a form. */
const Messages = createContext<FieldMessages>({});

/** Values to choose from, with their texts if these differ. */
export type Choices<Value extends string = string> =
  | readonly (Value | readonly [value: Value, text: string])[]
  | Readonly<Record<Value, string>>;

/** A labeled control: a choice with `of`, several lines with `rows`, otherwise one line. */
export function Field<Value extends string = string>(props: {
  label: string;
  value: Value;
  onChange(value: Value): void;
  /** The path that the control plane has for the value. In a form, its message stands at this field. */
  name?: string;
  /** The rule for the value. */
  hint?: ComponentChildren;
  required?: boolean;
  placeholder?: string;
  of?: Choices<Value>;
  rows?: number;
  type?: "text" | "number" | "search";
  /** The least and the greatest number. */
  range?: Range | undefined;
  min?: number;
  step?: number | "any";
  maxLength?: number;
}) {
  const { label, value, onChange, hint, of, type = "text", range, ...rest } = props;
  const id = useId();
  const message = useContext(Messages)[rest.name ?? ""];
  const described = [hint !== undefined && `${id}-hint`, message !== undefined && `${id}-problem`];
  const control = {
    ...rest,
    ...(range !== undefined && { min: range[0], max: range[1] }),
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

/** A form that makes a change. What is wrong stands at the field it is about, and else at the end. */
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
  const form = useRef<HTMLFormElement>(null);
  const call = useCall();
  const [invalid, setInvalid] = useState<FieldMessages>({});
  const { "": rest = null, ...refused } = refusalMessages(form.current, call);
  const messages = { ...invalid, ...refused };
  const refusedNames = Object.keys(refused).join(" ");
  useEffect(() => {
    if (refusedNames !== "") focusFirst(form.current, refusedNames.split(" "));
  }, [refusedNames]);
  return (
    <form
      ref={form}
      noValidate
      onInput={({ currentTarget }) => {
        call.clear();
        const stillInvalid = invalidFields(currentTarget);
        setInvalid((shown) =>
          Object.fromEntries(Object.entries(stillInvalid).filter(([name]) => name in shown)),
        );
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const found = invalidFields(event.currentTarget);
        const names = Object.keys(found);
        setInvalid(found);
        if (names.length === 0) void call.run(onSubmit);
        else focusFirst(event.currentTarget, names);
      }}
    >
      <Messages.Provider value={messages}>{children}</Messages.Provider>
      <Problem error={rest} />
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
        <Field label="JSON" name={ANY_FIELD} required rows={3} value={text} onChange={setText} />
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
