import type * as z from "zod/mini";
import { isRecord } from "../../src/contract/service.js";
import type { Account } from "../core/accounts.js";
import { normalizeId, parseOption } from "../core/checks.js";
import { requireAccount } from "../core/core.js";
import type { HttpRequest, HttpResponse } from "../http/messages.js";
import type { Service } from "../http/service.js";
import type { EmulatorOptions } from "./emulator.js";

/** The context of a method. `origins` are the addresses for URLs in its result. */
export interface MethodContext extends Service {
  readonly options: EmulatorOptions;
}

export type Params<Route extends string> = string extends Route
  ? string[]
  : Route extends `${string}{${string}}${infer Rest}`
    ? [string, ...Params<Rest>]
    : [];

interface MethodBase<Route extends string> {
  /** The HTTP method, and the path below `/_emulator`: `PATCH /accounts/{account_id}`. */
  readonly route: Route;
  readonly summary: string;
  /** Whether it fails with 409 while the account's billing information is incomplete. */
  readonly needsBilling?: true;
  /** Whether it can be limited to one account: by `account_id` in the query, or in the body if that has the field. */
  readonly scoped?: boolean;
  /** Whether every machine and every web page may call it. Only for GET, to which `HEAD` is then added. */
  readonly isOpen?: true;
}

/** A method that returns JSON or nothing, in process and over HTTP. */
export interface Method<Route extends string, Body extends z.ZodMiniType, Json, Result>
  extends MethodBase<Route> {
  /** @defaultValue 200, or 204 without a response */
  readonly status: 200 | 201 | 204;
  readonly body: Body | null;
  readonly response: z.ZodMiniType<Json> | null;
  /** @param account - that of `account_id`; `null` for all accounts */
  run(context: MethodContext, params: Params<Route>, body: z.output<Body>, account: Account | null): Result;
}

/** A method that responds with a file, over HTTP alone. */
export interface FileMethod<Route extends string> extends MethodBase<Route> {
  readonly mediaType: string;
  respond(
    context: MethodContext,
    params: Params<Route>,
    request: HttpRequest,
    account: Account | null,
  ): HttpResponse | Promise<HttpResponse>;
}

// biome-ignore lint/suspicious/noExplicitAny: the types of any method
type AnyDataMethod<Result = unknown> = Method<any, any, any, Result>;
export type AnyMethod = AnyDataMethod | FileMethod<string>;

type Optional = "status" | "body" | "response";
type Definition<Whole> = Omit<Whole, "route" | Optional> & {
  [Name in Optional & keyof Whole]?: NonNullable<Whole[Name]>;
};

export function method<
  const Route extends string,
  Result extends Json | Promise<Json>,
  Json = void,
  Body extends z.ZodMiniType = z.ZodMiniType<undefined>,
>(
  route: Route,
  definition: Definition<Method<Route, Body, Json, Result>>,
): Method<Route, Body, Json, Result> {
  const status = definition.response === undefined ? 204 : 200;
  return { route, status, body: null, response: null, ...definition };
}

export function fileMethod<const Route extends string>(route: Route, file: Definition<FileMethod<Route>>) {
  return { route, ...file };
}

/**
 * The account that a call is limited to.
 *
 * @param accountId - from outside the body: from the query, or in process the last argument
 * @throws UnknownIdError for an unknown account, and RangeError if the body names another one
 */
export function scopeOf(
  context: MethodContext,
  body: unknown,
  accountId: string | undefined,
): Account | null {
  const inBody = isRecord(body) && typeof body["account_id"] === "string" ? body["account_id"] : undefined;
  if (inBody !== undefined && accountId !== undefined && normalizeId(inBody) !== normalizeId(accountId))
    throw new RangeError(`\`account_id\` is ${inBody} in the body, but ${accountId} outside it. Omit one.`);
  const id = inBody ?? accountId;
  return id === undefined ? null : requireAccount(context.core, id);
}

/**
 * Returns a method as a function: its arguments are the parameters of the route, then the body, which it checks, then the
 * account id of a scoped method.
 */
export function bind<Result>(context: MethodContext, method: AnyDataMethod<Result>) {
  const { route, body: schema, scoped = false } = method;
  const paramCount = route.split("{").length - 1;
  return (...args: unknown[]): Result => {
    const rest = args.slice(paramCount);
    const body = schema === null ? undefined : parseOption("", schema, rest.shift());
    const account = scoped ? scopeOf(context, body, rest.shift() as string | undefined) : null;
    return method.run(context, args.slice(0, paramCount).map(String), body, account);
  };
}
