import { Heap } from "../shared/heap.js";
import { expiresBefore, isDueBefore, type Waiting } from "./waiting.js";
import type { Claimant } from "./window.js";

/** So many settled ones may lie about besides as many as still wait. */
const FEW = 100;

/**
 * The requests that wait, in heaps: until they are due, for their turn, for the end of their time. One that is settled
 * is dropped where it is met next.
 */
export class Queue {
  readonly #upcoming = new Heap<Waiting>(isDueBefore);
  readonly #ready = [new Heap(isDueBefore), new Heap(isDueBefore), new Heap(isDueBefore)] as const;
  readonly #expiring = new Heap<Waiting>(expiresBefore);
  #waitingPolls = 0;
  #unknownPolls = 0;
  #perishable = 0;

  /** How many polls wait. */
  get waitingPolls(): number {
    return this.#waitingPolls;
  }

  /** How many polls wait of tasks of which only the id is known. */
  get unknownPolls(): number {
    return this.#unknownPolls;
  }

  /** When the next one will be due; `Infinity` where nobody will. */
  get nextDueAt(): number {
    return next(this.#upcoming)?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  /** When the time of the next one is over. */
  get nextLateAt(): number {
    return next(this.#expiring)?.notAfter ?? Number.POSITIVE_INFINITY;
  }

  enter(waiting: Waiting): void {
    this.#upcoming.push(waiting);
    if (waiting.claimant === 2) this.#waitingPolls++;
    if (waiting.isUnknown) this.#unknownPolls++;
    if (!isPerishable(waiting)) return;
    this.#expiring.push(waiting);
    this.#perishable++;
  }

  /** It may leave, or is given up. */
  settle(waiting: Waiting, isAdmitted: boolean): void {
    this.#leave(waiting);
    waiting.resolve(isAdmitted);
  }

  fail(waiting: Waiting, reason: unknown): void {
    this.#leave(waiting);
    waiting.reject(reason);
  }

  /** Puts off until it is due what was taken out. */
  putOff(waiting: Waiting): void {
    this.#upcoming.push(waiting);
  }

  /** Lets wait for its turn what was due. */
  lineUp(waiting: Waiting): void {
    this.#ready[waiting.claimant].push(waiting);
  }

  /** Whether anybody of a rank waits for their turn. */
  isLinedUp(claimant: Claimant): boolean {
    return next(this.#ready[claimant]) !== undefined;
  }

  /** The requests of a rank that are due and not admitted yet. */
  linedUp(claimant: Claimant): Waiting[] {
    return this.#ready[claimant].items().filter(stillWaits);
  }

  /** Takes out the next one that is due. */
  takeDue(now: number): Waiting | undefined {
    return this.nextDueAt <= now ? this.#upcoming.pop() : undefined;
  }

  /** Takes out whose turn it is among those of a rank. */
  takeFirst(claimant: Claimant): Waiting | undefined {
    return next(this.#ready[claimant]) && this.#ready[claimant].pop();
  }

  /** Takes out the next one whose time is over. */
  takeLate(now: number): Waiting | undefined {
    return this.nextLateAt <= now ? this.#expiring.pop() : undefined;
  }

  /** Takes out everybody who isn't due yet, and all polls. */
  takePolls(): Waiting[] {
    return [...this.#upcoming.drain(), ...this.#ready[2].drain()].filter(stillWaits);
  }

  /** Takes out everybody. */
  takeAll(): Waiting[] {
    return [this.#upcoming, ...this.#ready].flatMap((heap) => heap.drain()).filter(stillWaits);
  }

  #leave(waiting: Waiting): void {
    waiting.isSettled = true;
    waiting.abort?.leave();
    if (waiting.claimant === 2) this.#waitingPolls--;
    if (waiting.isUnknown) this.#unknownPolls--;
    if (!isPerishable(waiting)) return;
    this.#perishable--;
    this.#clearUp();
  }

  /** What is settled long before its time is over would lie about until then. */
  #clearUp(): void {
    if (this.#expiring.size <= 2 * this.#perishable + FEW) return;
    for (const waiting of this.#expiring.drain()) if (stillWaits(waiting)) this.#expiring.push(waiting);
  }
}

/** The first request of a heap that still waits. */
function next(heap: Heap<Waiting>): Waiting | undefined {
  while (heap.peek()?.isSettled) heap.pop();
  return heap.peek();
}

function stillWaits({ isSettled }: Waiting): boolean {
  return !isSettled;
}

function isPerishable({ notAfter }: Waiting): boolean {
  return notAfter < Number.POSITIVE_INFINITY;
}
