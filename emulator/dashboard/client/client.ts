import createClient from "openapi-fetch";
import type { operations, paths } from "./control-plane.generated.js";

/** The control plane, whose types are made of its own description. */
export const controlPlane = createClient<paths>();

type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

export type Overview = Answer<"get_overview">;
export type AccountSummary = Overview["accounts"][number];
export type TaskRow = Answer<"get_tasks_from_one">["tasks"][number];
export type TaskDetails = Answer<"get_tasks_one">;
export type LedgerEntry = Answer<"get_accounts_ledger_from_one">["entries"][number];
export type LoggedRequest = Answer<"get_requests">["requests"][number];
export type Finding = Answer<"get_audit">["findings"][number];
export type Sent = Answer<"post_accounts_requests">;
export type Payment = Answer<"get_accounts_top_ups">["payments"][number];
export type AutoTopUp = Answer<"get_accounts_auto_top_up">;
export type Billing = Answer<"get_accounts_billing">;
export type Policy = Overview["policy"];
export type Fault = Overview["faults"][number];
export type Outcome = NonNullable<Overview["providers"]["provider_a"]["always"]>;

/** Nobody answers: the connection is what failed, and not the call. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";

  constructor() {
    super("The emulator can't be reached. This works again once it runs.");
  }
}

/** What a call answers. @throws Error in the control plane's own words, or UnreachableError */
export async function ask<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call.catch(() => {
    throw new UnreachableError();
  });
  if (!response.ok) throw new Error(messageOf(error) ?? `The emulator answered ${response.status}.`);
  return data as Data;
}

/** The prose of the service's error body, where this is one. */
export function messageOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("message" in body)) return null;
  return typeof body.message === "string" ? body.message : null;
}
