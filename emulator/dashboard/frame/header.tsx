import { account, overview } from "../live/store.js";
import { Choice } from "../parts/field.js";
import { shortId } from "../parts/format.js";
import { setTheme, theme } from "../parts/theme.js";
import { linkTo, path, setParam } from "../place.js";
import { VIEWS } from "../views/views.js";
import { Clock } from "./clock.js";

export function Header() {
  const here = path.value[0] ?? "";
  return (
    <header>
      <div class="bar">
        <a class="brand" href={linkTo("/")}>
          <img src="/dashboard/icon.svg" alt="" width="26" height="26" />
          <strong>async-music</strong> emulator
        </a>
        <nav aria-label="Views">
          <ul>
            {VIEWS.map(({ name, title }) => (
              <li key={name}>
                <a href={linkTo(`/${name}`)} {...(name === here && { "aria-current": "page" as const })}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Theme />
      </div>
      {overview.value !== null && (
        <div class="bar strip">
          <AccountChoice />
          <Clock />
        </div>
      )}
    </header>
  );
}

const NEXT = { auto: "light", light: "dark", dark: "auto" } as const;
const SIGNS = { auto: "◐", light: "☀", dark: "☾" } as const;

function Theme() {
  const chosen = theme.value;
  return (
    <button
      type="button"
      class="small quiet"
      onClick={() => setTheme(NEXT[chosen])}
      aria-label={`Colors: ${chosen}. Change to ${NEXT[chosen]}`}
      title={`Colors: ${chosen}`}
    >
      <span aria-hidden="true">{SIGNS[chosen]}</span>
    </button>
  );
}

function AccountChoice() {
  const accounts = overview.value?.accounts ?? [];
  if (accounts.length < 2) return null;
  return (
    <div class="account-choice">
      <Choice
        label="Account"
        value={account.value?.account_id ?? ""}
        of={accounts.map(({ account_id: id }, index) => [id, `${index + 1} · ${shortId(id)}`] as const)}
        onChange={(id) => setParam("account", id)}
      />
    </div>
  );
}
