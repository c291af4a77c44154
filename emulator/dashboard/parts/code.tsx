import { CopyButton } from "./copy-button.js";

/** Something to read or to take away, as it is. */
export function Code({ text, label, copy = true }: { text: string; label: string; copy?: boolean }) {
  return (
    <figure class="code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      {copy && <CopyButton text={text} />}
    </figure>
  );
}

export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={JSON.stringify(value, null, 2)} label={label} />;
}
