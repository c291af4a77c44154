import type * as z from "zod/mini";
import { parseOption } from "../core/checks.js";
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
}

/** A method that returns JSON or nothing, in process and over HTTP. */
export interface Method<Route extends string, Body extends z.ZodMiniType, Json, Result>
  extends MethodBase<Route> {
  /** @defaultValue 200, or 204 without a response */
  readonly status: 200 | 201 | 204;
  readonly body: Body | null;
  readonly response: z.ZodMiniType<Json> | null;
  run(context: MethodContext, params: Params<Route>, body: z.output<Body>): Result;
}

/** A method that responds with a file, over HTTP alone. */
export interface FileMethod<Route extends string> extends MethodBase<Route> {
  readonly mediaType: string;
  respond(
    context: MethodContext,
    params: Params<Route>,
    request: HttpRequest,
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

/** Returns a method as a function: its arguments are the parameters of the route, then the body, which it checks. */
export function bind<Result>(context: MethodContext, method: AnyDataMethod<Result>) {
  const { route, body: schema } = method;
  const paramCount = route.split("{").length - 1;
  return (...args: unknown[]): Result => {
    const body = schema === null ? undefined : parseOption("", schema, args[paramCount]);
    return method.run(context, args.slice(0, paramCount).map(String), body);
  };
}
