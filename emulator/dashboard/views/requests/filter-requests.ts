import type { LoggedRequest } from "../../client/client.js";
import { markOf } from "../../live/store.js";

export interface RequestFilter {
  words: string;
  method: string;
  /** The first digit of the status, or all three; `none` for no answer. */
  status: string;
  onlyFound: boolean;
  found: ReadonlyMap<string, unknown>;
}

/** The requests that pass, in their order. Without a filter it is the same list. */
export function filterRequests(
  requests: readonly LoggedRequest[],
  { words, method, status, onlyFound, found }: RequestFilter,
): readonly LoggedRequest[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "" && method === "" && status === "" && !onlyFound) return requests;
  return requests.filter(
    (request) =>
      (method === "" || isOfMethod(request, method)) &&
      (status === "" || isOfStatus(request, status)) &&
      (wanted === "" || textOf(request).includes(wanted)) &&
      (!onlyFound || found.has(markOf(request))),
  );
}

function isOfMethod({ method }: LoggedRequest, wanted: string): boolean {
  return wanted === "other" ? method !== "GET" && method !== "POST" : method === wanted;
}

function isOfStatus({ status }: LoggedRequest, wanted: string): boolean {
  return status === null ? wanted === "none" : String(status).startsWith(wanted);
}

function textOf({ path, request_id: id, error_code: code }: LoggedRequest): string {
  return `${path} ${id} ${code ?? ""}`.toLowerCase();
}
