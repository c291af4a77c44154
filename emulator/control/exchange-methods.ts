import * as z from "zod/mini";
import { HEADERS, isRecord } from "../../src/contract/service.js";
import type { StoredAccount } from "../core/accounts.js";
import { count, flag, list, NAMED, objectOf, oneOf, text, UnknownIdError, uuid } from "../core/checks.js";
import { accountIdOf, type Core, isRequestOf } from "../core/core.js";
import { faultRuleSchema } from "../core/faults.js";
import type { Exchange } from "../core/log/exchanges.js";
import { mask, maskKey } from "../core/log/mask.js";
import { type LoggedRequest, loggedRequestSchema } from "../core/log/request-log.js";
import { outcomeSchema } from "../core/providers.js";
import { UNREAD_BODY } from "../core/ranges.js";
import { parseBody } from "../http/json-body.js";
import type { Origins } from "../http/messages.js";
import { fileMethod, type MethodContext, method } from "./method.js";
import { indexOf } from "./observer-methods.js";
import { streamRequests } from "./stream-requests.js";

const exchangeSchema = z
  .extend(z.object(loggedRequestSchema.shape), {
    /** Numbered from 1 since the last reset. Null for a request that came with a snapshot. */
    number: z.nullable(count),
    url: z.nullable(text),
    key_id: z.nullable(uuid),
    /** The task that was created or read. */
    task_id: z.nullable(uuid),
    /** Of an error response. Null if it is no longer kept. */
    message: z.nullable(text),
    /** On the emulator's clock. Null for a stall, which the client ends in real time. */
    duration_ms: z.nullable(z.number()),
    ended: z.nullable(oneOf("response", "broken_response", "disconnect", "stall")),
    rate_limit_remaining: z.nullable(count),
    /** The fault that fired. */
    fault: z.nullable(faultRuleSchema.shape.fault),
    /** The outcome that was set for the created task. */
    outcome: z.nullable(outcomeSchema),
    /** Sent from the dashboard: the audit ignores it. */
    manual: flag,
  })
  .register(NAMED, { id: "Exchange" });

const headersSchema = z.nullable(z.record(text, text));

const detailsSchema = z.extend(exchangeSchema, {
  /** Whether headers and bodies are still kept; else the fields below are null. */
  complete: flag,
  request_headers: headersSchema,
  request_body: z.nullable(text),
  response_headers: headersSchema,
  /** Null for a file, of which only the length is kept. */
  response_body: z.nullable(text),
  response_bytes: z.nullable(count),
});

export type ExchangeRow = z.output<typeof exchangeSchema>;
export type ExchangeDetails = z.output<typeof detailsSchema>;

/** In one response. */
const MOST_LISTED = 2000;

/** Requests as a person debugs them: with their messages, and with what shaped the response. */
export const exchangeMethods = {
  streamExchanges: fileMethod("GET /exchanges/stream", {
    summary: "Every request from now on as server-sent events, with its task, key and fault.",
    mediaType: "text/event-stream",
    scoped: true,
    respond: ({ core, origins }, _params, _request, account) =>
      streamRequests(
        core,
        account,
        (request, later) => exchangeJson(core, request, core.exchanges.before(later), origins),
        "end",
      ),
  }),
  listExchanges: method("GET /exchanges/before/{number}", {
    summary: `List up to ${MOST_LISTED} requests before this one, oldest first. A number after the last one lists the latest.`,
    response: z.object({
      exchanges: list(exchangeSchema),
      /** Whether the log has earlier ones. */
      earlier: flag,
    }),
    run: (context, [number]) => exchangesBefore(context, indexOf(number)),
  }),
  getExchange: method("GET /exchanges/{number}", {
    summary: "One request and its response, with headers and bodies. API keys are masked.",
    response: detailsSchema,
    run({ core, origins }, [number]) {
      const exchange = core.exchanges.find(Number(number));
      if (exchange === undefined) throw new UnknownIdError("exchange", number);
      return detailsOf(core, exchange, origins);
    },
  }),
  searchExchanges: method("POST /exchanges/search", {
    summary: "The numbers of the requests whose request or response body contains a text, in any case.",
    scoped: true,
    body: objectOf({ account_id: z.optional(text), text }),
    response: z.object({ numbers: list(count) }),
    run: ({ core }, _, { text: wanted }, account) => ({
      numbers: core.exchanges
        .all()
        .filter(({ request }) => isRequestOf(core, account, request))
        .filter((each) => bodiesOf(each).toLowerCase().includes(wanted.toLowerCase()))
        .map(({ number }) => number),
    }),
  }),
  exportExchanges: method("POST /exchanges/har", {
    summary: "These requests, or all, as an HTTP archive (HAR 1.2). API keys are masked.",
    scoped: true,
    body: objectOf({ account_id: z.optional(text), numbers: z.optional(list(count)) }),
    response: z.object({ log: z.looseObject({ version: text, entries: list(z.looseObject({})) }) }),
    run: (context, _, { numbers }, account) => httpArchive(context, numbers, account),
  }),
};

/** Requests that came with a snapshot have no number, and are listed together. */
function exchangesBefore({ core, origins }: MethodContext, number: number) {
  const log = core.state.requests;
  const { latest } = core.exchanges;
  const end = Math.max(0, log.length - Math.max(0, latest - number + 1));
  const firstNumbered = Math.max(0, log.length - latest);
  const from = end - MOST_LISTED < firstNumbered ? 0 : end - MOST_LISTED;
  const exchanges = log
    .slice(from, end)
    .map((request, index) =>
      exchangeJson(core, request, core.exchanges.before(log.length - 1 - from - index), origins),
    );
  return { exchanges, earlier: from > 0 };
}

/**
 * A download has the account of its file. The URL has the address at which the reader reaches the emulator, so that a copied
 * command works there.
 */
function exchangeJson(
  core: Core,
  request: LoggedRequest,
  exchange: Exchange | undefined,
  { service, providers }: Origins,
): ExchangeRow {
  const origins = { service, ...providers };
  return {
    ...request,
    account_id: accountIdOf(core, request),
    number: exchange?.number ?? null,
    url: exchange === undefined ? null : origins[exchange.sentTo] + request.path,
    key_id: exchange?.keyId ?? null,
    task_id: exchange?.taskId ?? null,
    message: errorMessage(request, exchange),
    duration_ms: exchange === undefined || exchange.ended === "stall" ? null : exchange.durationMs,
    ended: exchange?.ended ?? null,
    rate_limit_remaining: exchange?.remaining ?? null,
    fault: exchange?.fault ?? null,
    outcome: exchange?.outcome ?? null,
    manual: exchange?.isManual ?? false,
  };
}

function errorMessage({ error_code }: LoggedRequest, exchange: Exchange | undefined): string | null {
  const { requestHeaders, response } = exchange?.messages ?? {};
  if (error_code === null || typeof response?.body !== "string") return null;
  const key = requestHeaders?.get(HEADERS.apiKey) ?? null;
  const body = parseBody(new TextEncoder().encode(maskKey(key, response.body)));
  return isRecord(body) && typeof body["message"] === "string" ? body["message"] : null;
}

/** The request body and the response body, without the key. */
function bodiesOf({ messages }: Exchange): string {
  if (messages === null) return "";
  const { requestHeaders, requestBody, response } = messages;
  const sent = ArrayBuffer.isView(requestBody) ? new TextDecoder().decode(requestBody) : "";
  const received = typeof response?.body === "string" ? response.body : "";
  return maskKey(requestHeaders.get(HEADERS.apiKey), `${sent}\n${received}`);
}

function detailsOf(core: Core, exchange: Exchange, origins: Origins): ExchangeDetails {
  const { messages } = exchange;
  const sent = new Headers([...(messages?.requestHeaders.entries() ?? [])]);
  const key = sent.get(HEADERS.apiKey);
  const masked = (text: string) => maskKey(key, text);
  for (const name of SECRET_HEADERS) {
    const value = sent.get(name);
    if (value !== null) sent.set(name, mask(value));
  }
  const maskedHeaders = (headers: Iterable<readonly [name: string, value: string]>) =>
    Object.fromEntries(Array.from(headers, ([name, value]) => [name, masked(value)]));
  const { requestBody: body = null, response = null } = messages ?? {};
  const received = response?.body ?? null;
  return {
    ...exchangeJson(core, exchange.request, exchange, origins),
    complete: messages !== null,
    request_headers: messages && maskedHeaders(sent),
    request_body: ArrayBuffer.isView(body) ? masked(new TextDecoder().decode(body)) : body && UNREAD_BODY,
    response_headers: response && maskedHeaders(Object.entries(response.headers)),
    response_body: typeof received === "string" ? masked(received) : null,
    response_bytes:
      typeof received === "string"
        ? new TextEncoder().encode(received).byteLength
        : (received?.bytes ?? null),
  };
}

const SECRET_HEADERS = [HEADERS.apiKey, "Authorization", "Proxy-Authorization", "Cookie"];

/** http://www.softwareishard.com/blog/har-12-spec/ */
function httpArchive(
  { core, origins }: MethodContext,
  numbers: readonly number[] | undefined,
  account: StoredAccount | null,
) {
  const { exchanges } = core;
  const named = numbers?.flatMap((number) => exchanges.find(number) ?? []) ?? exchanges.all();
  const chosen = named.filter(({ request }) => isRequestOf(core, account, request));
  const entries = chosen.map((each) => archiveEntry(detailsOf(core, each, origins)));
  return { log: { version: "1.2", creator: { name: "async-music emulator", version: "1" }, entries } };
}

function archiveEntry(details: ExchangeDetails) {
  const { at, method, url, status, request_headers, response_headers } = details;
  const time = details.duration_ms ?? 0;
  const { request_body, response_body, response_bytes } = details;
  const headersOf = (headers: ExchangeDetails["request_headers"]) =>
    Object.entries(headers ?? {}).map(([name, value]) => ({ name, value }));
  const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };
  const mimeType = new Headers(response_headers ?? {}).get("Content-Type") ?? "";
  return {
    startedDateTime: at,
    time,
    request: {
      ...common,
      method,
      url,
      headers: headersOf(request_headers),
      queryString: [],
      bodySize: -1,
      ...(request_body !== null && { postData: { mimeType: "application/json", text: request_body } }),
    },
    response: {
      ...common,
      status: status ?? 0,
      statusText: "",
      headers: headersOf(response_headers),
      content: {
        size: response_bytes ?? 0,
        mimeType,
        ...(response_body !== null && { text: response_body }),
      },
      redirectURL: "",
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(details.ended !== "response" && { _error: details.ended }),
  };
}
