import { parseJson, statedWaitMs } from "../../src/http/attempt.js";
import type { ApiResponse } from "../../src/http/context.js";

/** A response as an attempt reads it. A body that is no string becomes JSON. */
export function createResponse(
  status: number,
  body: unknown = "",
  headers: HeadersInit = {},
  now = 0,
): ApiResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const json = parseJson(text);
  const fields = new Headers(headers);
  const statedMs = status >= 400 ? statedWaitMs(fields, json, now) : null;
  return {
    status,
    headers: fields,
    text,
    json,
    taskId: Object(json["data"]).task_id,
    requestId: "request-1",
    remaining: null,
    statedWaitMs: statedMs,
    receivedAt: now,
  };
}
