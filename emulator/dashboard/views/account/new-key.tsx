import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.js";
import { shortId } from "../../parts/format.js";

/** A key that was just created. It lives in the page's memory alone, until it is put away. */
export interface ShownKey {
  keyId: string;
  value: string;
  accountId: string;
}

export function NewKey({ shown, onDone }: { shown: ShownKey; onDone(): void }) {
  const place = useRef<HTMLElement>(null);
  // Each new key is to be seen.
  useEffect(() => place.current?.focus(), [shown.keyId]);
  return (
    <article class="new-key" ref={place} tabIndex={-1} aria-label="The new key">
      <p>
        <strong>Key {shortId(shown.keyId)} is ready.</strong> Copy it now: this is the only time that its
        value is shown.
      </p>
      <p class="secret">
        <code>{shown.value}</code> <CopyButton text={shown.value} label="Copy key" />
      </p>
      <button type="button" class="small secondary" onClick={onDone}>
        I have it
      </button>
    </article>
  );
}
