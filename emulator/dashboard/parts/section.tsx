import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a view, with its heading. */
export function Section(props: {
  title: string;
  aside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} class={props.class ?? ""}>
      <div class="heading">
        <h2 id={id}>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  );
}

/** What stands where there is nothing yet, and says what to do about it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** What went wrong, in words; nothing where nothing did. */
export function Problem({ error }: { error: string | null }) {
  return error === null ? null : (
    <p role="alert" class="problem">
      {error}
    </p>
  );
}
