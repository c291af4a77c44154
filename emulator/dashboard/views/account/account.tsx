import type { ComponentChildren } from "preact";
import { linkTo, path } from "../../address.js";
import { CopyButton } from "../../parts/display.js";
import { accountId } from "../../store.js";
import { NewKeyPanel } from "./new-key.js";

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
