import { linkTo, path, setParam } from "./address.js";
import { Field } from "./parts/controls.js";
import { Button } from "./parts/display.js";
import { shortId } from "./parts/format.js";
import { setTheme, theme } from "./parts/theme.js";
import { account, overview } from "./store.js";
import { Clock } from "./views/clock/clock.js";

export function Header({ views }: { views: readonly { name: string; title: string }[] }) {
  const current = path.value[0] ?? "";
  return (
    <header>
      <div class="bar">
        <a class="brand" href={linkTo("/")}>
          <img src="/dashboard/icon.svg" alt="" width="26" height="26" />
          <strong>async-music</strong> emulator
        </a>
        <nav class="links" aria-label="Views">
          <ul>
            {views.map(({ name, title }) => (
              <li key={name}>
                <a href={linkTo(`/${name}`)} {...(name === current && { "aria-current": "page" as const })}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {overview.value !== null && (
          <>
            {isOfAccount() && <AccountChoice />}
            <Clock />
          </>
        )}
        <ThemeButton />
      </div>
    </header>
  );
}

/** Whether the view shows one account. */
export function isOfAccount(): boolean {
  return !["requests", "scenarios"].includes(path.value[0] ?? "");
}

const NEXT_THEME = { auto: "light", light: "dark", dark: "auto" } as const;
const THEME_SIGNS = { auto: "◐", light: "☀", dark: "☾" } as const;

function ThemeButton() {
  const next = NEXT_THEME[theme.value];
  return (
    <Button
      class="small quiet"
      onClick={() => setTheme(next)}
      aria-label={`Colors: ${theme.value}. Change to ${next}`}
      title={`Colors: ${theme.value}`}
    >
      <span aria-hidden="true">{THEME_SIGNS[theme.value]}</span>
    </Button>
  );
}

function AccountChoice() {
  const accounts = overview.value?.accounts ?? [];
  if (accounts.length < 2) return null;
  return (
    <div class="inline">
      <Field
        label="Account"
        value={account.value?.account_id ?? ""}
        of={accounts.map(({ account_id: id }, index) => [id, `${index + 1} · ${shortId(id)}`])}
        onChange={(id) => setParam("account", id)}
      />
    </div>
  );
}
