import { createRequestId } from "../time/random.js";
import { attempt } from "./attempt.js";
import type { Answer, Call, RequestOptions } from "./call.js";
import { heldError } from "./held-error.js";
import { checkRequestOptions } from "./request-options.js";
import { retrying } from "./retrying.js";
import { tellWait } from "./tell-wait.js";
import type { TransportConfig } from "./transport-config.js";
import type { Judge } from "./verdict.js";

/** Sends calls to the service. The key itself is for nobody else to see. */
export interface Transport extends Omit<TransportConfig, "baseUrl" | "apiKey"> {
  /** Sends a call, again and again where its rule and its budget allow, until it is answered with success. */
  send(call: Call, options: RequestOptions, judge: Judge): Promise<Answer>;
  /** Sends a call that the pacer has already admitted, once. */
  sendOnce(call: Call, options: RequestOptions, judge: Judge): Promise<Answer>;
}

export function createTransport(config: TransportConfig): Transport {
  const { clock, random, pacer, emitter } = config;
  const { apiKey, baseUrl, ...shared } = config;

  return {
    ...shared,

    async send(call, options, judge) {
      const { maxRetries = config.maxRetries } = checkRequestOptions(options);
      const { signal } = options;
      const requestId = options.requestId ?? createRequestId(random);
      const limits = { ...config, maxRetries, signal };
      return retrying(limits, async (budgetMs) => {
        const queuedAt = clock.now();
        const onDelayed = call.flight?.onDelayed;
        const isAdmitted = await pacer.admit({ ...call, maxHoldMs: budgetMs, onDelayed }, signal);
        onDelayed?.(null);
        if (!isAdmitted) throw heldError(config, call, requestId);
        const waitedMs = clock.now() - queuedAt;
        tellWait(emitter, { purpose: call.purpose, taskId: call.taskId ?? null, waitedMs });
        if (call.beforeSending !== undefined) await prepare(config, call.beforeSending, call.taskId);
        return attempt(config, call, options, judge, requestId);
      });
    },

    async sendOnce(call, options, judge) {
      const tried = await attempt(config, call, options, judge, options.requestId ?? createRequestId(random));
      if ("result" in tried) return tried.result;
      throw tried.error;
    },
  };
}

/** Who was admitted and then does not send reports back all the same. */
async function prepare(
  { pacer, clock }: TransportConfig,
  beforeSending: () => Promise<void>,
  taskId: string | undefined,
): Promise<void> {
  try {
    await beforeSending();
  } catch (error) {
    pacer.report({ taskId, sentAt: clock.now(), remaining: null, heldForMs: null });
    throw error;
  }
}
