import type { Call, Context } from "../http/context.js";
import { judgeRead } from "../http/failure.js";
import type { ApiResponse } from "../http/outcome.js";
import type { RequestOptions } from "../http/request-options.js";
import { parseJson } from "../http/response.js";
import { send } from "../http/send.js";
import { Aborter, untilAbort } from "../time/abort.js";

/** A read of a task that was not sent yet. */
interface UnsentRead {
  response: Promise<ApiResponse>;
  callers: number;
  /** Aborts it once all its callers have aborted. `null`: the first one cannot. */
  readonly aborter: Aborter | null;
  /** It is sent, or will not be: no further caller joins it. */
  end(): void;
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
  const key = JSON.stringify(headers === undefined ? sent : [...sent, ...new Headers(headers)]);
  const joined = reads.get(key);
  const read = joined ?? begin(context, reads, key, call, options);
  read.callers++;
  const response =
    signal === undefined
      ? await read.response
      : await untilAbort(read.response, signal, (reject) => {
          reject(signal.reason);
          if (--read.callers > 0) return;
          read.end();
          read.aborter?.abort(signal.reason);
        });
  // Each caller may change its task.
  return read === joined ? { ...response, json: parseJson(response.text) } : response;
}

function begin(
  context: Context,
  reads: UnsentReads,
  key: string,
  call: Call,
  options: RequestOptions,
): UnsentRead {
  const aborter = options.signal === undefined ? null : new Aborter();
  let isUnsent = true;
  const end = () => {
    // Afterwards, the key may be that of a later read.
    if (isUnsent) reads.delete(key);
    isUnsent = false;
  };
  const own = { ...options, signal: aborter?.signal };
  const response = send(context, { ...call, beforeSending: end }, own, judgeRead);
  const read: UnsentRead = { response, callers: 0, aborter, end };
  if (isUnsent) reads.set(key, read);
  response.then(end, end);
  return read;
}
