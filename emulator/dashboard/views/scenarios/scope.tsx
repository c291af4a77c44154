import { bindParam, param } from "../../address.js";
import { Field } from "../../parts/controls.js";
import { shortId } from "../../parts/format.js";
import { overview } from "../../store.js";

/** What the page calls an account; `null` stands for all. */
export function accountName(id: string | null): string {
  const accounts = overview.value?.accounts ?? [];
  const index = accounts.findIndex((each) => each.account_id === id);
  if (id === null) return "every account";
  return index === -1 ? shortId(id) : `account ${index + 1}`;
}

/** The account that changes of scenarios apply to; `null` for all. */
export function scope() {
  return (overview.value?.accounts ?? []).find((each) => each.account_id === param("for")) ?? null;
}

/** The part of a body that limits a change to the chosen account. */
export function scoped(): { account_id?: string } {
  const account = scope();
  return account === null ? {} : { account_id: account.account_id };
}

/** Chooses the account that changes apply to. */
export function ScopeField() {
  const ids = (overview.value?.accounts ?? []).map((each) => each.account_id);
  const choices = ids.map((id) => [id, `${accountName(id)} · ${shortId(id)}`] as const);
  return <Field label="Account" of={[["", "every account"], ...choices]} {...bindParam("for")} />;
}
