import type * as z from "zod/mini";
import type { accountMethods } from "../control/account-methods.js";
import type { exchangeMethods } from "../control/exchange-methods.js";
import type { Method, Params } from "../control/method.js";
import type { observerMethods } from "../control/observer-methods.js";
import type { serviceMethods } from "../control/service-methods.js";

export type { CreatedKey } from "../control/emulator.js";
export type { ExchangeDetails, ExchangeRow } from "../control/exchange-methods.js";
export type { LedgerEntry } from "../core/ledger.js";
export type { Finding } from "../core/log/audit.js";
export type { Payment } from "../core/payments/schemas.js";
export type { Policy } from "../core/policy-fields.js";

/** The calls of the control plane. Their types come from the table of methods that serves them. */

type Methods = typeof accountMethods &
  typeof observerMethods &
  typeof serviceMethods &
  typeof exchangeMethods;
export type Route = Extract<Methods[keyof Methods], { run: unknown }>["route"];
type MethodOf<Named extends Route> = Extract<Methods[keyof Methods], { route: Named; run: unknown }>;

/** The parameters of the route, then the body. */
export type Args<Named extends Route> =
  MethodOf<Named> extends Method<infer _Route, infer Body, infer _Json, infer _Result>
    ? [...Params<Named>, ...(undefined extends z.input<Body> ? [] : [body: z.input<Body>])]
    : never;

type Result<Named extends Route> =
  MethodOf<Named> extends Method<infer _Route, infer _Body, infer Json, infer _Result> ? Json : never;

export type Overview = Result<"GET /overview">;
export type AccountSummary = Overview["accounts"][number];
export type TaskRow = Result<"GET /tasks/from/{ordinal}">["tasks"][number];
export type TaskDetails = Result<"GET /tasks/{task_id}">;
export type FutureChange = Result<"GET /future">["changes"][number];
export type Key = Result<"GET /accounts/{account_id}/keys">["keys"][number];
export type ManualResponse = Result<"POST /accounts/{account_id}/requests">;
export type AutoTopUp = Result<"GET /accounts/{account_id}/auto-top-up">;
export type Rule = Overview["rules"][number];
export type RuleOutcome = NonNullable<Rule["outcome"]>;
export type Issue = ManualResponse["issues"][number];

/** A refused call, with the fields that are wrong. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[]) {
    super(message);
    this.issues = issues;
  }
}

/** The connection failed, not the call. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";

  constructor() {
    super("The emulator can't be reached. Try again once it runs.");
  }
}

/**
 * Calls a method of the control plane, with the parameters of its route, then its body.
 *
 * @throws RefusedError with the control plane's message, or UnreachableError
 */
export async function call<Named extends Route>(route: Named, ...args: Args<Named>): Promise<Result<Named>> {
  const [method = "", pattern = ""] = route.split(" ");
  const rest: unknown[] = [...args];
  const path = pattern.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
  const request: RequestInit = { method };
  if (rest.length > 0) {
    request.headers = { "Content-Type": "application/json" };
    request.body = JSON.stringify(rest[0]);
  }
  const response = await fetch(`/_emulator${path}`, request).catch(() => {
    throw new UnreachableError();
  });
  const text = await response.text();
  const json = text === "" ? undefined : JSON.parse(text);
  if (response.ok) return json;
  const message = messageOf(json) ?? `The emulator responded with ${response.status}.`;
  throw new RefusedError(message, json?.issues ?? []);
}

/** The message of the service's error body; `null` for another body. */
export function messageOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("message" in body)) return null;
  return typeof body.message === "string" ? body.message : null;
}
