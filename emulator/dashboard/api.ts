import type * as z from "zod/mini";
import type { accountMethods } from "../control/account-methods.js";
import type { exchangeMethods } from "../control/exchange-methods.js";
import type { Method, Params } from "../control/method.js";
import type { observerMethods } from "../control/observer-methods.js";
import type { serviceMethods } from "../control/service-methods.js";

/** Every call that the page makes. Its types come from the table of methods that serves it. */

type Methods = typeof accountMethods &
  typeof observerMethods &
  typeof serviceMethods &
  typeof exchangeMethods;
type Route = Extract<Methods[keyof Methods], { run: unknown }>["route"];
type MethodOf<Named extends Route> = Extract<Methods[keyof Methods], { route: Named; run: unknown }>;

/** The parameters of the route, then the body. */
type Args<Of> =
  Of extends Method<infer Named, infer Body, infer _Json, infer _Result>
    ? [...Params<Named>, ...(undefined extends z.input<Body> ? [] : [body: z.input<Body>])]
    : never;

type Result<Named extends Route> =
  MethodOf<Named> extends Method<infer _Route, infer _Body, infer Json, infer _Result> ? Json : never;

export type { CreatedKey } from "../control/emulator.js";
export type { ExchangeDetails, ExchangeRow } from "../control/exchange-methods.js";
export type { LedgerEntry } from "../core/ledger.js";
export type { Finding } from "../core/log/audit.js";
export type { Payment } from "../core/payments/schemas.js";
export type { Policy } from "../core/policy-fields.js";
export type Overview = Result<"GET /overview">;
export type AccountSummary = Overview["accounts"][number];
export type TaskRow = Result<"GET /tasks/from/{ordinal}">["tasks"][number];
export type TaskDetails = Result<"GET /tasks/{task_id}">;
export type Key = Result<"GET /accounts/{account_id}/keys">["keys"][number];
export type ManualResponse = Result<"POST /accounts/{account_id}/requests">;
export type AutoTopUp = Result<"GET /accounts/{account_id}/auto-top-up">;
export type BillingDetails = Result<"GET /accounts/{account_id}/billing">;
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
 * Makes a function that calls a method of the control plane.
 *
 * @throws RefusedError with the control plane's message, or UnreachableError
 */
function call<Named extends Route>(route: Named) {
  return async (...args: Args<MethodOf<Named>>): Promise<Result<Named>> => {
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
    if (!response.ok)
      throw new RefusedError(
        messageIn(json) ?? `The emulator responded with ${response.status}.`,
        json?.issues ?? [],
      );
    return json;
  };
}

/** The message of the service's error body; `null` for another body. */
export function messageIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("message" in body)) return null;
  return typeof body.message === "string" ? body.message : null;
}

export const getOverview = call("GET /overview");
export const getExchange = call("GET /exchanges/{number}");
export const getExchangesBefore = call("GET /exchanges/before/{number}");
export const searchExchanges = call("POST /exchanges/search");
export const exportExchanges = call("POST /exchanges/har");
export const getFindings = call("GET /audit");
export const advanceClock = call("POST /clock/advance");
export const getTasksFrom = call("GET /tasks/from/{ordinal}");
export const getTask = call("GET /tasks/{task_id}");
export const getLedgerFrom = call("GET /accounts/{account_id}/ledger/from/{index}");

export const addAccount = call("POST /accounts");
export const updateAccount = call("PATCH /accounts/{account_id}");
export const getKeys = call("GET /accounts/{account_id}/keys");
export const addKey = call("POST /accounts/{account_id}/keys");
export const updateKey = call("PATCH /accounts/{account_id}/keys/{key_id}");
export const deleteKey = call("DELETE /accounts/{account_id}/keys/{key_id}");
export const getPayments = call("GET /accounts/{account_id}/top-ups");
export const buyCredits = call("POST /accounts/{account_id}/top-ups");
export const updateTopUp = call("PATCH /accounts/{account_id}/top-ups/{payment_id}");
export const getAutoTopUp = call("GET /accounts/{account_id}/auto-top-up");
export const setAutoTopUp = call("PUT /accounts/{account_id}/auto-top-up");
export const authorizeChange = call("POST /accounts/{account_id}/authorizations");
export const getBilling = call("GET /accounts/{account_id}/billing");
export const setBilling = call("PUT /accounts/{account_id}/billing");
export const sendManualRequest = call("POST /accounts/{account_id}/requests");

export const addFaultRule = call("POST /faults");
export const addNextOutcome = call("POST /providers/{model}/next");
export const removeRule = call("DELETE /rules/{rule_id}");
export const setAlways = call("PUT /providers/{model}/always");
export const setPolicy = call("PATCH /policy");
export const setLimits = call("PATCH /limits");
export const reset = call("POST /reset");
export const loadSnapshot = call("PUT /snapshot");
