import { ENDPOINTS } from "../../src/contract/wire.js";
import { balanceEndpoint, usageEndpoint } from "./endpoints/account.js";
import { createTaskEndpoint } from "./endpoints/create-task.js";
import { serveArt, serveAudio, serveProviderAudio } from "./endpoints/files.js";
import { openApiPage } from "./endpoints/open-api.js";
import { retrieveTaskEndpoint } from "./endpoints/retrieve-task.js";
import { welcome } from "./endpoints/welcome.js";
import type { Answer, Exchange, Site } from "./exchange.js";
import { Refusal } from "./refusal.js";
import type { Visit } from "./visit.js";

/** One thing that can be asked for. */
export interface Route {
  readonly method: string;
  readonly site: Site;
  /** A part in braces stands for any text that is not empty. */
  readonly path: string;
  /** Endpoints of the API need a key and count against its limit; pages are for everybody. */
  readonly access: "key" | "open";
  readonly answer: (visit: Visit) => Answer | Promise<Answer>;
}

const { createTask, retrieveTask, balance, usage } = ENDPOINTS;

/** Everything that the emulator answers. */
const ROUTES: readonly Route[] = [
  endpoint(createTask, createTaskEndpoint),
  endpoint(retrieveTask, retrieveTaskEndpoint),
  endpoint(balance, balanceEndpoint),
  endpoint(usage, usageEndpoint),
  ...page("service", "/audio/{clipId}", serveAudio),
  ...page("provider", "/{model}/audio/{clipId}", serveProviderAudio),
  ...page("provider", "/{model}/art/{clipId}/{size}", serveArt),
  ...page("service", "/openapi.json", openApiPage),
  ...page("service", "/", welcome),
];

const PARSED_ROUTES = ROUTES.map((route) => ({ route, parts: route.path.split("/") }));

/** The route that was asked for and what stands in its path, or why there is none. */
export function findRoute({ site, path, method }: Exchange): { route: Route; params: string[] } | Refusal {
  const asked = path.split("/");
  const isHere = ({ route, parts }: (typeof PARSED_ROUTES)[number]) =>
    route.site === site && matches(parts, asked);
  const found = PARSED_ROUTES.find((each) => each.route.method === method && isHere(each));
  if (found !== undefined) {
    return { route: found.route, params: asked.filter((_, index) => isParam(found.parts[index])) };
  }
  const here = PARSED_ROUTES.filter(isHere);
  if (here.length === 0) {
    // The providers' own addresses have no description.
    const advice = site === "service" ? "; /openapi.json lists what there is" : "";
    return new Refusal("not_found", `There is nothing at this path${advice}`);
  }
  const allow = here.map(({ route }) => route.method).join(", ");
  return new Refusal("method_not_allowed", `This path can be asked with ${allow} only`, { allow });
}

function matches(parts: readonly string[], asked: readonly string[]): boolean {
  return (
    parts.length === asked.length &&
    parts.every((part, index) => (isParam(part) ? asked[index] !== "" : part === asked[index]))
  );
}

function isParam(part: string | undefined): boolean {
  return part?.startsWith("{") ?? false;
}

function endpoint({ method, path }: { method: string; path: string }, answer: Route["answer"]): Route {
  return { method, site: "service", path, access: "key", answer };
}

/** A page can be asked for its headers alone, too. */
function page(site: Site, path: string, answer: Route["answer"]): Route[] {
  return ["GET", "HEAD"].map((method) => ({ method, site, path, access: "open", answer }));
}
