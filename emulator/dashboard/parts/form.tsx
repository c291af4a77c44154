import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Call, reasonOf, useCall } from "./calls.js";
import { Field, Messages } from "./controls.js";
import { Button, Problem } from "./display.js";
import { useFields } from "./fields.js";
import { ANY_FIELD, type FieldMessages, focusFirst, invalidFields, refusalMessages } from "./validation.js";

/** A button that makes a change, and shows why it failed. */
export function Action({
  onAct,
  ...rest
}: Omit<ButtonHTMLAttributes, "onClick"> & { onAct(): Promise<unknown> }) {
  const { isBusy, error, run } = useCall();
  return (
    <>
      <Button {...rest} isBusy={isBusy} onClick={() => void run(onAct)} />
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
        <Button type="submit" class={danger ? "danger" : ""} disabled={disabled} isBusy={call.isBusy}>
          {submit}
        </Button>
        {buttons?.(call)}
      </div>
    </form>
  );
}

/** A form for any JSON that the control plane accepts. It proposes the example, also when that changes. */
export function JsonForm(props: {
  label: ComponentChildren;
  example: object;
  submit: string;
  onSubmit(value: unknown): Promise<unknown>;
}) {
  const { label, example, submit, onSubmit } = props;
  const { values, bind } = useFields({ [ANY_FIELD]: JSON.stringify(example) });
  return (
    <details>
      <summary>{label}</summary>
      <Form submit={submit} onSubmit={async () => onSubmit(parseJson(values[ANY_FIELD] ?? ""))}>
        <Field label="JSON" required rows={3} {...bind(ANY_FIELD)} />
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
