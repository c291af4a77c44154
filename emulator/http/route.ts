import { Refusal } from "./refusal.js";
import type { KeyRoute, OpenRoute, RoutePattern } from "./request-context.js";

export function keyRoute(
  { method, path, status }: { method: string; path: string; status: number },
  run: KeyRoute["run"],
): KeyRoute {
  return { method, pattern: patternOf(path), access: "key", status, run };
}

export function openRoute(path: string, run: OpenRoute["run"]): OpenRoute[] {
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
