import type { StoredAccount } from "../core/accounts.js";
import type { HttpResponse } from "./messages.js";
import { Refusal } from "./refusal.js";

export interface RoutePattern {
  readonly method: string;
  readonly pattern: RegExp;
}

/** An operation of the service, which requires a key. It returns the data of the response, or its body as a string. */
interface KeyRoute<Context> extends RoutePattern {
  readonly access: "key";
  readonly status: number;
  readonly run: (context: Context, account: StoredAccount) => object | string;
}

/** Everything else, such as files. */
interface OpenRoute<Context> extends RoutePattern {
  readonly access: "open";
  readonly run: (context: Context) => Promise<HttpResponse>;
}

export type Route<Context> = KeyRoute<Context> | OpenRoute<Context>;

export function keyRoute<Context>(
  { method, path, status }: { method: string; path: string; status: number },
  run: KeyRoute<Context>["run"],
): KeyRoute<Context> {
  return { method, pattern: patternOf(path), access: "key", status, run };
}

export function openRoute<Context>(path: string, run: OpenRoute<Context>["run"]): OpenRoute<Context>[] {
  return ["GET", "HEAD"].map((method) => ({ method, pattern: patternOf(path), access: "open", run }));
}

/** A parameter in braces matches any string that is not empty and has no slash. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "([^/]+)")}$`);
}

/** Returns the route of a request, or a 404 or 405. `description` is the path of the document that lists all routes. */
export function findRoute<Found extends RoutePattern>(
  routes: readonly Found[],
  { method, path }: { method: string; path: string },
  description: string | null,
): { route: Found; params: string[] } | Refusal {
  const allowed: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (match !== null && route.method === method) return { route, params: match.slice(1) };
    if (match !== null) allowed.push(route.method);
  }
  const allow = allowed.join(", ");
  if (allow !== "") return new Refusal("method_not_allowed", `This path allows only ${allow}.`, { allow });
  const advice = description === null ? "" : ` ${description} lists all paths.`;
  return new Refusal("not_found", `The path does not exist.${advice}`);
}
