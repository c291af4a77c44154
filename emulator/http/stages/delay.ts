import type { RequestContext } from "../request-context.js";

/** Sleeps on the clock for the fault `latency`, until the delay is over or the state is replaced. */
export function delayRequest(context: RequestContext): Promise<undefined> | undefined {
  const { fault } = context;
  return fault?.kind === "latency" ? delay(context, fault.ms) : undefined;
}

async function delay(context: RequestContext, ms: number): Promise<undefined> {
  const { submission, core } = context;
  const { clock, replaceListeners, delayedSubmissions } = core;
  const controller = new AbortController();
  const wake = () => controller.abort();
  replaceListeners.add(wake);
  if (submission !== null) delayedSubmissions.add(submission);
  clock.activity.end();
  try {
    await clock.sleep(ms, controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    clock.activity.begin();
    replaceListeners.delete(wake);
    if (submission !== null) delayedSubmissions.delete(submission);
  }
  context.now = clock.now();
}
