import createClient from "openapi-fetch";
import type { Model } from "../../src/contract/service.js";
import type { operations, paths } from "./client/control-plane.generated.js";

/** Every call that the page makes. The types come from the control plane's OpenAPI description. */

const controlPlane = createClient<paths>();

type Operation = keyof operations;

type Response200<Name extends Operation> = operations[Name] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

type RequestBody<Name extends Operation> =
  NonNullable<operations[Name]["requestBody"]> extends { content: { "application/json": infer Body } }
    ? Body
    : never;

export type Overview = Response200<"get_overview">;
export type AccountSummary = Overview["accounts"][number];
export type TaskRow = Response200<"get_tasks_from_one">["tasks"][number];
export type TaskDetails = Response200<"get_tasks_one">;
export type LedgerEntry = Response200<"get_accounts_ledger_from_one">["entries"][number];
export type LoggedRequest = Response200<"get_requests">["requests"][number];
export type Finding = Response200<"get_audit">["findings"][number];
export type SentRequest = Response200<"post_accounts_requests">;
export type Payment = Response200<"get_accounts_top_ups">["payments"][number];
export type AutoTopUp = Response200<"get_accounts_auto_top_up">;
export type Billing = Response200<"get_accounts_billing">;
export type Policy = Overview["policy"];
export type Fault = Overview["faults"][number];
export type Outcome = NonNullable<Overview["providers"]["provider_a"]["always"]>;

/** The connection failed, not the call. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";

  constructor() {
    super("The emulator can't be reached. Try again once it runs.");
  }
}

/** Resolves with the body. @throws Error with the control plane's message, or UnreachableError */
async function call<Data>(
  request: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await request.catch(() => {
    throw new UnreachableError();
  });
  if (!response.ok) throw new Error(messageOf(error) ?? `The emulator responded with ${response.status}.`);
  return data as Data;
}

/** The message of the service's error body; `null` for another body. */
export function messageOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("message" in body)) return null;
  return typeof body.message === "string" ? body.message : null;
}

const ofAccount = (account_id: string) => ({ params: { path: { account_id } } });
const ofKey = (account_id: string, key_id: string) => ({ params: { path: { account_id, key_id } } });
const ofModel = (model: Model) => ({ params: { path: { model } } });

export const getOverview = () => call(controlPlane.GET("/_emulator/overview"));

export const getFindings = async () => (await call(controlPlane.GET("/_emulator/audit"))).findings;

export const advance = (seconds: number) =>
  call(controlPlane.POST("/_emulator/clock/advance", { body: { seconds } }));

/** The tasks from a position in the order of their creation. */
export const getTasksFrom = async (position: number) => {
  const params = { path: { ordinal: String(position) } };
  return (await call(controlPlane.GET("/_emulator/tasks/from/{ordinal}", { params }))).tasks;
};

export const getTask = (task_id: string) =>
  call(controlPlane.GET("/_emulator/tasks/{task_id}", { params: { path: { task_id } } }));

/** The ledger entries of an account from a position. */
export const getLedgerFrom = async (account_id: string, position: number) => {
  const params = { path: { account_id, place: String(position) } };
  const path = "/_emulator/accounts/{account_id}/ledger/from/{place}";
  return (await call(controlPlane.GET(path, { params }))).entries;
};

export const createAccount = (credits: number) =>
  call(controlPlane.POST("/_emulator/accounts", { body: { credits } }));

export const updateAccount = (id: string, body: RequestBody<"patch_accounts_one">) =>
  call(controlPlane.PATCH("/_emulator/accounts/{account_id}", { ...ofAccount(id), body }));

export const createKey = (accountId: string) =>
  call(controlPlane.POST("/_emulator/accounts/{account_id}/keys", ofAccount(accountId)));

export const updateKey = (accountId: string, keyId: string, disabled: boolean) => {
  const options = { ...ofKey(accountId, keyId), body: { disabled } };
  return call(controlPlane.PATCH("/_emulator/accounts/{account_id}/keys/{key_id}", options));
};

export const deleteKey = (accountId: string, keyId: string) =>
  call(controlPlane.DELETE("/_emulator/accounts/{account_id}/keys/{key_id}", ofKey(accountId, keyId)));

export const getPayments = async (accountId: string) =>
  (await call(controlPlane.GET("/_emulator/accounts/{account_id}/top-ups", ofAccount(accountId)))).payments;

export const topUp = (accountId: string, body: RequestBody<"post_accounts_top_ups">) =>
  call(controlPlane.POST("/_emulator/accounts/{account_id}/top-ups", { ...ofAccount(accountId), body }));

export const decidePayment = (account_id: string, payment_id: string, status: "completed" | "refused") => {
  const params = { path: { account_id, payment_id } };
  const path = "/_emulator/accounts/{account_id}/top-ups/{payment_id}";
  return call(controlPlane.PATCH(path, { params, body: { status } }));
};

const AUTO_TOP_UP = "/_emulator/accounts/{account_id}/auto-top-up";

export const getAutoTopUp = (accountId: string) => call(controlPlane.GET(AUTO_TOP_UP, ofAccount(accountId)));

export const setAutoTopUp = (accountId: string, body: RequestBody<"put_accounts_auto_top_up">) =>
  call(controlPlane.PUT(AUTO_TOP_UP, { ...ofAccount(accountId), body }));

/** A token that authorizes one change of the automatic top-up. */
export const authorize = async (accountId: string) => {
  const path = "/_emulator/accounts/{account_id}/authorizations";
  return (await call(controlPlane.POST(path, ofAccount(accountId)))).authorization;
};

const BILLING = "/_emulator/accounts/{account_id}/billing";

export const getBilling = (accountId: string) => call(controlPlane.GET(BILLING, ofAccount(accountId)));

export const setBilling = (accountId: string, body: RequestBody<"put_accounts_billing">) =>
  call(controlPlane.PUT(BILLING, { ...ofAccount(accountId), body }));

/** Sends a request to the API with a key of the account. The control plane checks it. */
export const sendAs = (
  accountId: string,
  request: { method: "GET" | "POST"; path: string; body?: unknown; outcome?: Outcome },
) => {
  const options = { ...ofAccount(accountId), body: request as never };
  return call(controlPlane.POST("/_emulator/accounts/{account_id}/requests", options));
};

export const addFault = (body: Fault["rule"]) => call(controlPlane.POST("/_emulator/faults", { body }));

export const clearFaults = () => call(controlPlane.DELETE("/_emulator/faults"));

export const addNextOutcome = (model: Model, body: Outcome) =>
  call(controlPlane.POST("/_emulator/providers/{model}/next", { ...ofModel(model), body }));

export const clearNextOutcomes = (model: Model) =>
  call(controlPlane.DELETE("/_emulator/providers/{model}/next", ofModel(model)));

export const setAlways = (model: Model, body: Outcome | null) =>
  call(controlPlane.PUT("/_emulator/providers/{model}/always", { ...ofModel(model), body }));

export const setPolicy = (body: Partial<Policy>) => call(controlPlane.PATCH("/_emulator/policy", { body }));

export const setLimits = (body: RequestBody<"patch_limits">) =>
  call(controlPlane.PATCH("/_emulator/limits", { body }));

export const reset = (body: RequestBody<"post_reset">) =>
  call(controlPlane.POST("/_emulator/reset", { body }));

export const loadSnapshot = (body: RequestBody<"put_snapshot">) =>
  call(controlPlane.PUT("/_emulator/snapshot", { body }));
