import type { ComponentChildren } from "preact";
import { type Telling, useTelling } from "../live/use-control.js";
import { Problem } from "./section.js";

/** A form that tells the emulator something, and says in words where it could not. */
export function Form(props: {
  submit: string;
  onSubmit(): Promise<void>;
  /** Why it can't be submitted now. */
  disabled?: boolean;
  children?: ComponentChildren;
  /** Besides the button that submits. */
  buttons?(telling: Telling): ComponentChildren;
  danger?: boolean;
}) {
  const telling = useTelling();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void telling.tell(props.onSubmit);
      }}
    >
      {props.children}
      <Problem error={telling.error} />
      <div class="buttons">
        <button
          type="submit"
          class={props.danger === true ? "danger" : ""}
          disabled={telling.isBusy || props.disabled === true}
          aria-busy={telling.isBusy}
        >
          {props.submit}
        </button>
        {props.buttons?.(telling)}
      </div>
    </form>
  );
}

/** A button that tells the emulator something at once. */
export function Act(props: {
  onAct(): Promise<void>;
  children: ComponentChildren;
  class?: string;
  label?: string;
  disabled?: boolean;
}) {
  const { isBusy, error, tell } = useTelling();
  return (
    <>
      <button
        type="button"
        class={props.class ?? "small secondary"}
        disabled={isBusy || props.disabled === true}
        aria-label={props.label}
        onClick={() => void tell(props.onAct)}
      >
        {props.children}
      </button>
      <Problem error={error} />
    </>
  );
}
