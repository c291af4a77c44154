import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOfThrown } from "../../../src/contract/thrown.js";
import { useCall } from "./calls.js";
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

/** A button that a form replaces while it is open. The keyboard focus moves into the form, and returns when the form closes. */
export function OnDemand(
  props: Omit<ButtonHTMLAttributes, "onClick" | "form"> & { form(close: () => void): ComponentChildren },
) {
  const { form, ...button } = props;
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const part = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isOpen === null || document.activeElement !== document.body) return;
    part.current?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  }, [isOpen]);
  return (
    <div class="on-demand" ref={part}>
      {isOpen ? form(() => setOpen(false)) : <Button {...button} onClick={() => setOpen(true)} />}
    </div>
  );
}

/** A form that makes a change. What is wrong stands at the field it is about, and else at the end. */
export function Form(props: {
  submit: string;
  onSubmit(): Promise<unknown>;
  disabled?: boolean;
  danger?: boolean;
  children?: ComponentChildren;
  /** Closes the form, after its change or without one. */
  close?(): void;
}) {
  const { submit, onSubmit, disabled = false, danger = false, children, close } = props;
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
        if (names.length === 0) void call.run(() => onSubmit().then(close));
        else focusFirst(event.currentTarget, names);
      }}
    >
      <Messages.Provider value={messages}>{children}</Messages.Provider>
      <Problem error={rest} />
      <div class="buttons">
        <Button type="submit" class={danger ? "danger" : ""} disabled={disabled} isBusy={call.isBusy}>
          {submit}
        </Button>
        {close !== undefined && (
          <Button class="secondary" onClick={close}>
            Cancel
          </Button>
        )}
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
    throw new Error(`Invalid JSON: ${messageOfThrown(error)}`);
  }
}
