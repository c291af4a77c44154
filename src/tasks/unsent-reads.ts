import type { Call, Context } from "../http/context.js";
import { judgeRead } from "../http/failure.js";
import type { ApiResponse } from "../http/outcome.js";
import type { RequestOptions } from "../http/request-options.js";
import { parseJson } from "../http/response.js";
import { send } from "../http/send.js";
import { Aborter, untilAbort } from "../time/abort.js";

/** A read of a task that was not sent yet. It is aborted once all its callers have aborted. */
class UnsentRead extends Aborter {
  callers = 0;
  declare response: Promise<ApiResponse>;
}

/** The reads of one client that were not sent yet, by their path and options. */
export type UnsentReads = Map<string, UnsentRead>;

/**
 * Sends a read of a task, or joins one with the same options that was not sent yet. The reads of one task are a second apart: without
 * this, each caller would wait a second longer than the one before. A read that was sent may show the task as it was before the call.
 */
export async function sendOrJoin(
  context: Context,
  reads: UnsentReads,
  call: Call,
  options: RequestOptions,
): Promise<ApiResponse> {
  const { signal, timeoutMs, maxRetries, requestId, headers } = options;
  signal?.throwIfAborted();
  const sent = [call.path, call.tenant, timeoutMs, maxRetries, requestId];
  const key = JSON.stringify([...sent, ...new Headers(headers)]);
  const joined = reads.get(key);
  const read = joined ?? new UnsentRead();
  const end = () => {
    if (reads.get(key) === read) reads.delete(key);
  };
  if (read !== joined) {
    reads.set(key, read);
    const own = { ...options, signal: read.signal };
    read.response = send(context, { ...call, beforeSending: end }, own, judgeRead).finally(end);
  }
  read.callers++;
  const response = await untilAbort(read.response, signal, (reject) => {
    reject(signal?.reason);
    if (--read.callers > 0) return;
    end();
    read.abort(signal?.reason);
  });
  // Each caller may change its task.
  return read === joined ? { ...response, json: parseJson(response.text) } : response;
}
