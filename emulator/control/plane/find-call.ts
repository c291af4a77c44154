import type { HttpRequest } from "../../http/messages.js";
import { Refusal } from "../../http/messages.js";
import type { Call } from "./call.js";

const PLANE = "/_emulator";

/** The call that was asked for, and what the braces of its path stand for. */
export function findCall(
  calls: readonly Call[],
  { method, path }: HttpRequest,
): { call: Call; params: string[] } {
  const below = path.slice(PLANE.length);
  const here = calls.flatMap((call) => {
    const params = matchPath(call.path, below);
    return params === null ? [] : [{ call, params }];
  });
  const found = here.find(({ call }) => call.method === method);
  if (found !== undefined) return found;
  if (here.length === 0)
    throw new Refusal(
      "not_found",
      `The control plane has nothing at this path; ${PLANE}/openapi.json lists what there is`,
    );
  const allow = here.map(({ call }) => call.method).join(", ");
  throw new Refusal("method_not_allowed", `This call can be made with ${allow} only`, { allow });
}

function matchPath(pattern: string, path: string): string[] | null {
  const parts = pattern.split("/");
  const asked = path.split("/");
  if (parts.length !== asked.length) return null;
  const params: string[] = [];
  for (const [index, part] of parts.entries()) {
    const text = asked[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== text) return null;
      continue;
    }
    const suffix = part.slice(part.indexOf("}") + 1);
    if (text.length <= suffix.length || !text.endsWith(suffix)) return null;
    params.push(text.slice(0, text.length - suffix.length));
  }
  return params;
}
