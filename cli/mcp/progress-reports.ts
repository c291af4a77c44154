import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Redactor } from "../../src/errors/redactor.js";
import type { OrderRun } from "./orders.js";
import { messageAbout } from "./results.js";

/**
 * What a tool needs of its call beside the arguments. A client that wants reports of the progress passes a progress token. The
 * signal is aborted when the client cancels the call.
 */
export type CallContext = Pick<
  RequestHandlerExtra<ServerRequest, ServerNotification>,
  "_meta" | "sendNotification" | "signal"
>;

/** Sends the state of a run to a client that requested its progress, until the call returns. */
export class ProgressReports {
  readonly #context: CallContext;
  readonly #redactor: Redactor;
  #hasStopped = false;
  #run: OrderRun | null = null;
  #sent = 0;
  #lastMessage = "";

  constructor(context: CallContext, redactor: Redactor) {
    this.#context = context;
    this.#redactor = redactor;
  }

  start(run: OrderRun): void {
    if (this.#context._meta?.progressToken === undefined || this.#hasStopped) return;
    this.#run = run;
    run.watchers.add(this.#send);
    this.#send();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#run?.watchers.delete(this.#send);
  }

  readonly #send = () => {
    const { progressToken } = this.#context._meta ?? {};
    if (progressToken === undefined || this.#run === null) return;
    const message = this.#redactor.text(messageAbout(this.#run.progress));
    if (message === this.#lastMessage) return;
    this.#lastMessage = message;
    const params = { progressToken, progress: ++this.#sent, message };
    // A client that has disconnected needs none.
    this.#context.sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
}
