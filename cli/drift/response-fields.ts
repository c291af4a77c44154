import { HEADERS, isRecord, isSafeRequestId } from "../../src/contract/service.js";
import { addFields, type ObservedFields, typeOf } from "./fields.js";
import { addTaskFields, type CreatedFrom } from "./task-fields.js";
import type { RecordedResponse } from "./wire.js";

/** Status, headers and body of a response, as fields. `sent` is the request of the task in the response. */
export function responseFields(response: RecordedResponse, sent?: CreatedFrom): ObservedFields {
  const { status, headers, body, sentId } = response;
  const fields: ObservedFields = {
    status,
    "Content-Type header": mediaType(headers.get("Content-Type")) ?? "missing",
    "X-Request-Id header": requestIdField(headers.get(HEADERS.requestId), sentId),
    "Retry-After header": countField(headers.get(HEADERS.retryAfter)),
  };
  // An early 401 may omit it (Authentication, 4).
  if (status !== 401)
    fields["X-RateLimit-Remaining header"] = countField(headers.get(HEADERS.rateLimitRemaining));
  fields["body"] = body === undefined ? "not JSON" : `JSON ${isRecord(body) ? "object" : typeOf(body, "")}`;
  if (!isRecord(body)) return fields;
  const { data, ...rest } = body;
  addFields(fields, rest, "");
  if (sent !== undefined && status < 300 && isRecord(data)) addTaskFields(fields, data, sent, response.date);
  else if ("data" in body) addFields(fields, { data }, "");
  return fields;
}

/** The type and subtype of a media type, without parameters. */
export function mediaType(header: string | null): string | null {
  return header === null ? null : (header.split(";")[0] ?? "").trim().toLowerCase();
}

function requestIdField(received: string | null, sent: string | null): string {
  if (received === null) return "missing";
  if (received === sent) return "the request's";
  return isSafeRequestId(received) ? "the service's own" : "unsafe";
}

function countField(header: string | null): string {
  if (header === null) return "missing";
  return /^\d+$/.test(header) ? "whole number" : "not a whole number";
}
