import { type ComponentType, render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { followAddress, linkWith, path } from "./address.js";
import { follow } from "./follow.js";
import { Header, isOfAccount } from "./header.js";
import { shortId } from "./parts/format.js";
import { followTheme } from "./parts/theme.js";
import { accountId, link, missingAccount, overview } from "./store.js";
import { AccountsView } from "./views/account/accounts.js";
import { BillingAndPaymentsView } from "./views/account/billing-and-payments.js";
import { KeysView } from "./views/account/keys.js";
import { StatementView } from "./views/account/statement.js";
import { FindingsView } from "./views/findings.js";
import { OverviewView } from "./views/overview.js";
import { RequestsView } from "./views/requests/requests.js";
import { ScenariosView } from "./views/scenarios/scenarios.js";
import { accountName } from "./views/scenarios/scope.js";
import { restoreDraft } from "./views/tasks/draft.js";
import { NewTask } from "./views/tasks/new-task.js";
import { TaskView } from "./views/tasks/task.js";
import { TasksView } from "./views/tasks/tasks.js";

/** The views of the navigation, by the first part of their path. */
const VIEWS = [
  { name: "", title: "Overview", Body: OverviewView },
  { name: "tasks", title: "Tasks", Body: TasksView },
  { name: "requests", title: "Requests", Body: RequestsView },
  { name: "account", title: "Account", Body: BillingAndPaymentsView },
  { name: "scenarios", title: "Scenarios", Body: ScenariosView },
] as const;

function viewAt([name = "", below]: readonly string[]): { title: string; Body: ComponentType } {
  if (name === "tasks" && below === "new") return { title: "New task", Body: NewTask };
  if (name === "tasks" && below !== undefined) return { title: "Task", Body: TaskView };
  if (name === "findings") return { title: "Findings", Body: FindingsView };
  if (name === "account" && below === "keys") return { title: "Keys", Body: KeysView };
  if (name === "account" && below === "accounts") return { title: "Accounts", Body: AccountsView };
  if (name === "account" && below === "statement") return { title: "Statement", Body: StatementView };
  return VIEWS.find((view) => view.name === name) ?? VIEWS[0];
}

function App() {
  const view = viewAt(path.value);
  const key = path.value.join("/");
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    document.title = `${view.title} · async-music emulator`;
    // A new view starts at its top, with the header visible.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [key]);
  const isConnecting = link.value === "connecting";
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Header views={VIEWS} />
      <div role="status" class="banner" hidden={link.value !== "lost"}>
        {link.value === "lost" &&
          "The emulator can't be reached. This page shows the last known state, and updates once the emulator is back."}
      </div>
      <MissingAccount />
      <main id="main" ref={main} tabIndex={-1} data-ready={overview.value !== null}>
        {overview.value === null ? (
          <p aria-busy={isConnecting}>{isConnecting ? "Loading…" : "The emulator has not responded yet."}</p>
        ) : (
          <view.Body key={key} />
        )}
      </main>
    </>
  );
}

/** The address may be older than the last restart or reset. */
function MissingAccount() {
  const isMissing = missingAccount.value !== null && isOfAccount();
  const shown = accountName(accountId.value);
  return (
    <div role="status" class="banner" hidden={!isMissing}>
      {isMissing && (
        <>
          The account {shortId(missingAccount.value ?? "")} of this address does not exist. This page shows{" "}
          {shown} instead. <a href={linkWith("account", "")}>Keep {shown}</a>
        </>
      )}
    </div>
  );
}

followTheme();
followAddress();
restoreDraft();
follow();
render(<App />, document.body);
