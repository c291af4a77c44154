import { LAST_CALL_MS } from "./ages.js";
import { DurationLaw } from "./duration-law.js";
import type { WaitingTask } from "./pacer.js";
import { nextRead } from "./read-plan.js";
import { FREE, findPrice, type ReadBudget, type Reader, type ReadPrice } from "./read-price.js";

/** What has waited in vain for as long as this is as urgent as what is surely over. */
const PATIENCE_MS = 10 * 60_000;

/** When waiting tasks are read next, and which of them first: by what is learned of their durations, and by what a read costs. */
export class ReadSchedule {
  readonly #laws = new Map<string, DurationLaw>();
  #price: ReadPrice = FREE;

  learn({ model, type, submittedAt, unfinishedAt }: WaitingTask, now: number, isOver: boolean): void {
    this.#lawOf(model, type).learn(unfinishedAt - submittedAt, now - submittedAt, isOver);
  }

  /** A task that waits for its next reading, which its caller allows from a time on. */
  reader({ model, type, submittedAt, unfinishedAt }: WaitingTask, notBefore: number): Reader {
    return { law: this.#lawOf(model, type), submittedAt, unfinishedAt, notBefore };
  }

  /** Sets the price of a read anew. */
  price(readers: readonly Reader[], budgets: readonly ReadBudget[]): void {
    this.#price = readers.length === 0 ? FREE : findPrice(readers, budgets, this.#price.ms);
  }

  /** When a task is read next, if there is room. */
  dueAt({ law, submittedAt, unfinishedAt, notBefore }: Reader): number {
    return Math.max(
      notBefore,
      submittedAt + nextRead(this.#price.plans.get(law), unfinishedAt - submittedAt),
    );
  }

  /** What each further millisecond costs for which a task stays unread: 1 when it is surely over. */
  urgency({ law, submittedAt, unfinishedAt, notBefore }: Reader, now: number): number {
    const [unfinished, age] = [unfinishedAt - submittedAt, now - submittedAt];
    const isLastCall = age >= LAST_CALL_MS && unfinished < LAST_CALL_MS;
    return (isLastCall ? 10 : 0) + law.chance(unfinished, age) + (now - notBefore) / PATIENCE_MS;
  }

  #lawOf(model: string, type: string): DurationLaw {
    const name = JSON.stringify([model, type]);
    const law = this.#laws.get(name) ?? new DurationLaw();
    this.#laws.set(name, law);
    return law;
  }
}
