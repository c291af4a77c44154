import { type ButtonHTMLAttributes, type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { RANGES } from "../../core/ranges.js";
import { useCall } from "./calls.js";
import { Field, Messages, NumberField } from "./controls.js";
import { Button, Problem } from "./display.js";
import { useFields } from "./fields.js";
import { type FieldMessages, focusFirst, invalidFields, refusalMessages } from "./validation.js";

/** A button that makes a change, and shows why it failed. */
export function Action(props: Omit<ButtonHTMLAttributes, "onClick"> & { onAct(): Promise<unknown> }) {
  const { onAct, ...rest } = props;
  const { isBusy, error, run } = useCall();
  return (
    <>
      <Button {...rest} isBusy={isBusy} onClick={() => void run(onAct)} />
      <Problem error={error} />
    </>
  );
}

/** Closes the form that was opened on demand. */
export const Close = createContext<(() => void) | undefined>(undefined);

/** A button that a form replaces while it is open. The keyboard focus moves into the form, and returns when the form closes. */
export function OnDemand(
  props: Omit<ButtonHTMLAttributes, "onClick" | "form"> & { form: ComponentChildren },
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
      {isOpen ? (
        <Close.Provider value={() => setOpen(false)}>{form}</Close.Provider>
      ) : (
        <Button {...button} onClick={() => setOpen(true)} />
      )}
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
}) {
  const { submit, onSubmit, disabled = false, danger = false, children } = props;
  const close = useContext(Close);
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

/** A field, which begins with a value of the emulator. */
type FormField<Name> = Omit<Parameters<typeof Field>[0], "name" | "value" | "onChange"> & {
  name: Name;
  value: string | number | null;
};

/** A form of fields. A name with a range stands for a number. */
export function FieldsForm<Name extends string>(
  props: Omit<Parameters<typeof Form>[0], "onSubmit"> & {
    class?: string;
    fields: readonly FormField<Name>[];
    onSubmit(values: Readonly<Record<Name, string>>): Promise<unknown>;
  },
) {
  const { class: classes = "fields", fields, onSubmit, children, ...form } = props;
  const initial = Object.fromEntries(fields.map(({ name, value }) => [name, String(value ?? "")]));
  const { values, bind } = useFields(initial as Record<Name, string>);
  return (
    <Form {...form} onSubmit={() => onSubmit(values)}>
      <div class={classes}>
        {fields.map((field) => {
          const Control = field.name in RANGES ? NumberField : Field;
          return <Control key={field.name} {...field} {...bind(field.name)} />;
        })}
      </div>
      {children}
    </Form>
  );
}
