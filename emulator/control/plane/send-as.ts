import { API_PREFIX, HEADERS } from "../../../src/contract/service.js";
import type { Account } from "../../core/accounts.js";
import type { Outcome } from "../../core/providers.js";
import { bytesOf, type HttpOutcome, type Origins } from "../../http/messages.js";
import { arrive, handleRequest } from "../../http/pipeline.js";
import type { Service } from "../../http/service.js";

/** A request to the API, without a key. */
export interface AskedRequest {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
  /** Of a submission: what its provider is to do. */
  outcome?: Outcome | undefined;
}

/** The paths below the API alone: nothing else needs a key. */
export const API_PATH = new RegExp(`^${API_PREFIX}/[^?#]+$`);

/**
 * Sends the service a request with one of the account's own keys, so that nobody who looks on needs one. To the service
 * it is a request like any other: it is limited, logged and audited, and meets the faults.
 */
export async function sendAs(
  service: Service,
  account: Account,
  { method, path, body, outcome }: AskedRequest,
  origins: Origins,
): Promise<object> {
  const key = account.keys.find(({ disabled }) => !disabled);
  if (key === undefined) {
    throw new RangeError(
      "Failed to send the request: the account has no key that is enabled. Create one, or enable one",
    );
  }
  const headers = new Headers({ [HEADERS.apiKey]: key.value, "Content-Type": "application/json" });
  if (outcome !== undefined) headers.set("X-Emulator-Outcome", asciiJson(outcome));
  const bytes = body === undefined ? null : new TextEncoder().encode(JSON.stringify(body));
  const target = { site: "service", path } as const;
  const arrival = arrive(service.core, target);
  const hasLeft = () => false;
  const request = { ...target, method, headers, body: bytes, origins, arrival, hasLeft };
  return endingOf(await handleRequest(service, request));
}

function endingOf(outcome: HttpOutcome): object {
  if (typeof outcome === "string") return { ended: outcome, status: null, headers: null, body: null };
  const { status, headers, body, breaksAfterBytes } = outcome;
  if (breaksAfterBytes === 0) return { ended: "disconnect", status: null, headers: null, body: null };
  const text = new TextDecoder().decode(bytesOf(body).subarray(0, breaksAfterBytes));
  return { ended: "answer", status, headers, body: jsonOrText(text) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Headers take no other letters. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
