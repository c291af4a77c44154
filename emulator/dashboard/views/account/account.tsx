import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { linkTo, path } from "../../address.js";
import type { CreatedKey } from "../../api.js";
import { Button, CopyButton } from "../../parts/display.js";
import { accountId, overview } from "../../store.js";
import { accountName } from "../scenarios/scope.js";

/** The pages of an account, by the second part of their path. The statement is below the first one. */
const PAGES = [
  ["", "Billing and payments"],
  ["keys", "Keys"],
  ["accounts", "Accounts"],
] as const;

/** A page of the chosen account, with links to the others. Another account begins with new fields. */
export function AccountPage({ title, children }: { title: string; children: ComponentChildren }) {
  const [, at = ""] = path.value;
  const current = PAGES.find(([name]) => name === at)?.[0] ?? "";
  return (
    <div key={accountId.value}>
      <div class="heading">
        <nav class="links" aria-label="Account">
          <ul>
            {PAGES.map(([name, text]) => (
              <li key={name}>
                <a
                  href={linkTo(name === "" ? "/account" : `/account/${name}`)}
                  {...(name === current && { "aria-current": name === at ? "page" : "true" })}
                >
                  {text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <span>
          <code>{accountId.value}</code> <CopyButton text={accountId.value} label="Copy ID" />
        </span>
      </div>
      <h1>{title}</h1>
      <NewKeyPanel />
      {children}
    </div>
  );
}

type NewKey = CreatedKey & { readonly account_id: string };

/** The value of a new key, in memory only, until it is confirmed: also while other views are open. */
const newKey = signal<NewKey | null>(null);

const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

let stopWatching = (): void => {};

/** Shows a new key until it is confirmed, or can no longer be used. */
export function setNewKey(key: NewKey | null): void {
  stopWatching();
  newKey.value = key;
  removeEventListener("beforeunload", confirmLeaving);
  if (key === null) return;
  addEventListener("beforeunload", confirmLeaving);
  // An overview may be older than the key.
  let wasUsable = false;
  stopWatching = effect(() => {
    const keys = (overview.value?.accounts ?? []).flatMap((each) => each.keys);
    const isUsable = keys.some(({ key_id: id, disabled }) => id === key.key_id && !disabled);
    if (wasUsable && !isUsable) setNewKey(null);
    wasUsable = isUsable;
  });
}

function NewKeyPanel() {
  const { key_id: id, api_key: key, account_id: account } = newKey.value ?? {};
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [id]);
  if (key === undefined || account === undefined) return null;
  return (
    <article class="new-key" ref={panel} tabIndex={-1} aria-label="The new key">
      <p>
        <strong>The new key of {accountName(account)} is ready.</strong> Copy it now: its value is not shown
        again.
      </p>
      <p class="secret">
        <code>{key}</code> <CopyButton text={key} label="Copy key" />
      </p>
      <Button onClick={() => setNewKey(null)}>Done</Button>
    </article>
  );
}
