import { tellWait } from "../http/tell-wait.js";
import type { Transport } from "../http/transport.js";
import type { WaitingTask } from "../rate-limit/pacer.js";
import { Aborter, onAbort } from "../time/abort.js";
import { joined, patiently } from "./patience.js";
import type { Reading } from "./retrieve.js";
import type { SharedPolls, Sharer } from "./shared-polls.js";

/** Who wants to poll a task next. */
export interface Poller {
  readonly transport: Transport;
  readonly taskId: string;
  readonly notBefore: number;
  /** The end of the longest gap. */
  readonly dueBy: number;
  readonly notAfter: number;
  readonly known: WaitingTask | null;
  readonly signal: AbortSignal | undefined;
  /** How long it would now wait for the answer to a poll, in real milliseconds. */
  timeoutMs(): number;
  poll(signal: AbortSignal): Promise<Reading>;
}

/** What becomes of a place: the poll may leave, its time is over, or there is no place any more. */
export type Turn = boolean | { refusal: unknown };

/**
 * A wait's place in the queue for the next poll of its task. Tens of thousands of waits sleep at once, each on the
 * `turn` of its place: nothing else holds them meanwhile.
 */
export class Place implements Sharer {
  /** Never rejects. */
  readonly turn: Promise<Turn>;
  readonly #poller: Poller;
  readonly #polls: SharedPolls;
  readonly #withdrawal = new Aborter();
  readonly #abort: ReturnType<typeof onAbort>;
  readonly #queuedAt: number;
  /** The poll of another wait that began meanwhile. */
  #shared: Promise<Reading> | undefined;

  constructor(poller: Poller, polls: SharedPolls) {
    const { transport, signal, notBefore } = poller;
    this.#poller = poller;
    this.#polls = polls;
    this.#queuedAt = transport.clock.now();
    // A wait that isn't due has just had its reading, or has left this very poll, since it took too long.
    this.#shared = notBefore <= this.#queuedAt ? polls.underWay(poller.taskId) : undefined;
    if (this.#shared === undefined) polls.enter(this);
    this.#abort = onAbort(signal, () => this.#withdrawal.abort(signal?.reason));
    this.turn = this.#shared === undefined && !signal?.aborted ? this.#queue() : Promise.resolve(false);
  }

  get taskId(): string {
    return this.#poller.taskId;
  }

  join(poll: Promise<Reading>): void {
    this.#shared = poll;
    this.#withdrawal.abort();
  }

  /** The next reading: by this wait's own poll, or by that of another which came first. `null` when the wait's time is over. */
  async take(turn: Turn): Promise<Reading | null> {
    const shared = this.#shared;
    this.#abort.leave();
    if (shared === undefined) this.#polls.leave(this);
    if (turn === true) return this.#begin();
    this.#poller.signal?.throwIfAborted();
    if (shared !== undefined) return this.#join(shared);
    if (turn === false) return null;
    throw turn.refusal;
  }

  #queue(): Promise<Turn> {
    const { transport, taskId, notBefore, dueBy, notAfter, known } = this.#poller;
    const task = known ?? undefined;
    const request = { kind: "poll", taskId, notBefore, dueBy, notAfter, task } as const;
    try {
      return Promise.resolve(transport.pacer.admit(request, this.#withdrawal.signal)).catch(refused);
    } catch (error) {
      return Promise.resolve(refused(error));
    }
  }

  #begin(): Promise<Reading> {
    const { transport, taskId, notBefore, signal } = this.#poller;
    if (signal?.aborted) {
      // Who was admitted and then does not send reports back all the same.
      transport.pacer.report({ sentAt: transport.clock.now(), remaining: null, heldForMs: null });
      throw signal.reason;
    }
    const waitedMs = transport.clock.now() - Math.max(notBefore, this.#queuedAt);
    tellWait(transport.emitter, { purpose: `read task ${taskId}`, taskId, waitedMs });
    const poll = (signal: AbortSignal) => this.#poller.poll(signal);
    return patiently(transport.clock, this.#poller, (patience) => this.#polls.begin(this, poll, patience));
  }

  #join(poll: Promise<Reading>): Promise<Reading> {
    const poller = this.#poller;
    return patiently(poller.transport.clock, poller, (patience) =>
      joined(poll, poller.timeoutMs(), patience),
    );
  }
}

function refused(refusal: unknown): Turn {
  return { refusal };
}
