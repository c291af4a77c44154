import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CreatedKey } from "../../api.js";
import { Button, CopyButton } from "../../parts/display.js";

/** The value of a new key, in memory only, until it is confirmed: also while other views are open. */
const newKey = signal<CreatedKey | null>(null);

const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

export function setNewKey(key: CreatedKey | null): void {
  newKey.value = key;
  if (key === null) removeEventListener("beforeunload", confirmLeaving);
  else addEventListener("beforeunload", confirmLeaving);
}

export function NewKeyPanel() {
  const { key_id: id, api_key: key } = newKey.value ?? {};
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [id]);
  if (key === undefined) return null;
  return (
    <article class="new-key" ref={panel} tabIndex={-1} aria-label="The new key">
      <p>
        <strong>The new key is ready.</strong> Copy it now: its value is not shown again.
      </p>
      <p class="secret">
        <code>{key}</code> <CopyButton text={key} label="Copy key" />
      </p>
      <Button onClick={() => setNewKey(null)}>Done</Button>
    </article>
  );
}
