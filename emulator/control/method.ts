import type * as z from "zod/mini";
import { isRecord } from "../../src/contract/service.js";
import type { StoredAccount } from "../core/accounts.js";
import { invariant, normalizeId, parseOption } from "../core/checks.js";
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

interface MethodBase<Route extends string, Scoped extends boolean> {
  /** The HTTP method, and the path below `/_emulator`: `PATCH /accounts/{account_id}`. */
  readonly route: Route;
  readonly summary: string;
  /** Whether it fails with 409 while the account's billing information is incomplete. */
  readonly needsBilling?: true;
  /** Whether it can be limited to one account: by `account_id` in the query, or in the body if that has the field. */
  readonly scoped?: Scoped;
  /** Whether every machine and every web page may call it. Only for GET, to which `HEAD` is then added. */
  readonly isOpen?: true;
}

/** A method that returns JSON or nothing, in process and over HTTP. */
export interface Method<
  Route extends string = string,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Json = unknown,
  Result = unknown,
  Scoped extends boolean = boolean,
> extends MethodBase<Route, Scoped> {
  /** 200, 201, or 204 without a response. */
  readonly status: number;
  readonly body: Body | null;
  readonly response: z.ZodMiniType<Json> | null;
  /**
   * Checks the body and runs the method.
   *
   * @param accountId - from outside the body: from the query, or in process the last argument
   */
  run(context: MethodContext, params: readonly string[], body: unknown, accountId?: string): Result;
}

type Respond<Params> = (
  context: MethodContext,
  params: Params,
  request: HttpRequest,
  account: StoredAccount | null,
) => HttpResponse | Promise<HttpResponse>;

interface FileDefinition<Params> extends Omit<MethodBase<string, boolean>, "route"> {
  readonly mediaType: string;
  readonly respond: Respond<Params>;
}

/** A method that responds with a file, over HTTP alone. */
export interface FileMethod extends FileDefinition<readonly string[]> {
  readonly route: string;
}

export type AnyMethod = Method | FileMethod;

interface Definition<Route extends string, Body extends z.ZodMiniType, Scoped extends boolean, Json, Result>
  extends Omit<MethodBase<Route, Scoped>, "route"> {
  /** @defaultValue 200, or 204 without a response */
  readonly status?: 201;
  readonly body?: Body;
  readonly response?: z.ZodMiniType<Json>;
  /** @param account - that of `account_id`; `null` for all accounts */
  run(
    context: MethodContext,
    params: Params<Route>,
    body: z.output<Body>,
    account: StoredAccount | null,
  ): Result;
}

export function method<
  const Route extends string,
  Result extends Json | Promise<Json>,
  Json = void,
  Body extends z.ZodMiniType = z.ZodMiniType<undefined>,
  const Scoped extends boolean = false,
>(
  route: Route,
  definition: Definition<Route, Body, Scoped, Json, Result>,
): Method<Route, Body, Json, Result, Scoped> {
  const { status, body: schema = null, response = null, run: runChecked, ...base } = definition;
  return {
    ...base,
    route,
    status: status ?? (response === null ? 204 : 200),
    body: schema,
    response,
    run(context, params, body, accountId) {
      const checked = checkedBody(schema, body);
      const account = base.scoped ? scopeOf(context, checked, accountId) : null;
      return runChecked(context, paramsOf(route, params), checked, account);
    },
  };
}

export function fileMethod<const Route extends string>(
  route: Route,
  definition: FileDefinition<Params<Route>>,
): FileMethod {
  return {
    ...definition,
    route,
    respond: (context, params, ...rest) => definition.respond(context, paramsOf(route, params), ...rest),
  };
}

/** A method without a body gets `undefined`, which is then the type of the body. */
function checkedBody<Body extends z.ZodMiniType>(schema: Body | null, body: unknown): z.output<Body> {
  return schema === null ? (undefined as z.output<Body>) : parseOption("", schema, body);
}

/** The parameters of a route, as many as its path has. */
function paramsOf<Route extends string>(route: Route, given: readonly string[]): Params<Route> {
  const params = given.map(String);
  invariant(hasParams(route, params), "a call has every parameter of its route");
  return params;
}

function hasParams<Route extends string>(route: Route, params: string[]): params is string[] & Params<Route> {
  return params.length === paramCount(route);
}

function paramCount(route: string): number {
  return route.split("{").length - 1;
}

/**
 * The account that a call is limited to.
 *
 * @throws UnknownIdError for an unknown account, and RangeError if the body names another one
 */
export function scopeOf(
  context: MethodContext,
  body: unknown,
  accountId: string | undefined,
): StoredAccount | null {
  const inBody = isRecord(body) && typeof body["account_id"] === "string" ? body["account_id"] : undefined;
  if (inBody !== undefined && accountId !== undefined && normalizeId(inBody) !== normalizeId(accountId))
    throw new RangeError(`\`account_id\` is ${inBody} in the body, but ${accountId} outside it. Omit one.`);
  const id = inBody ?? accountId;
  return id === undefined ? null : requireAccount(context.core, id);
}

/** What is passed to a method in process: the parameters of the route, the body, and the account of a scoped method. */
type Args<Route extends string, Body extends z.ZodMiniType, Scoped extends boolean> = [
  ...params: Params<Route>,
  ...body: [z.output<Body>] extends [undefined] ? [] : [body: DeepReadonly<z.input<Body>>],
  ...scope: Scoped extends true ? [accountId?: string | undefined] : [],
];

type DeepReadonly<Value> = Value extends object
  ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
  : Value;

/** Returns a method as a function. */
export function bind<Route extends string, Body extends z.ZodMiniType, Json, Result, Scoped extends boolean>(
  context: MethodContext,
  method: Method<Route, Body, Json, Result, Scoped>,
): (...args: Args<Route, Body, Scoped>) => Result {
  const count = paramCount(method.route);
  return (...args) => {
    const given: readonly unknown[] = args;
    const [body, accountId] = method.body === null ? [undefined, given[count]] : given.slice(count);
    const id = accountId === undefined ? undefined : String(accountId);
    return method.run(context, given.slice(0, count).map(String), body, id);
  };
}
