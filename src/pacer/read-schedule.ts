import { DurationLaw } from "./duration-law.js";
import type { WaitingTask } from "./pacer.js";
import { nextRead } from "./read-plan.js";
import { FREE, findPrice, type ReadBudget, type Reader, type ReadPrice } from "./read-price.js";

/** When waiting tasks are read next: by what is learned of their durations, and by what a read costs. */
export class ReadSchedule {
  readonly #laws = new Map<string, DurationLaw>();
  #price: ReadPrice = FREE;

  /** Whether everybody is read as soon as their callers allow: then a price need not be set before anything happens. */
  get isFree(): boolean {
    return this.#price === FREE;
  }

  learn({ model, type, submittedAt, unfinishedAt }: WaitingTask, now: number, isOver: boolean): void {
    this.#lawOf(model, type).learn(unfinishedAt - submittedAt, now - submittedAt, isOver);
  }

  /** A task that waits for its next reading, which its caller allows from a time on. */
  reader({ model, type, submittedAt, unfinishedAt }: WaitingTask, notBefore: number, now: number): Reader {
    const law = this.#lawOf(model, type);
    if (unfinishedAt === submittedAt) law.newcomers.note(now);
    return { law, submittedAt, unfinishedAt, notBefore };
  }

  /** Sets the price of a read anew. */
  price(readers: readonly Reader[], budgets: readonly [ReadBudget, ReadBudget?]): void {
    this.#price = readers.length === 0 ? FREE : findPrice(readers, budgets, this.#price.ms);
  }

  /** When a task is read next, if there is room. */
  dueAt({ law, submittedAt, unfinishedAt, notBefore }: Reader): number {
    return Math.max(
      notBefore,
      submittedAt + nextRead(this.#price.plans.get(law), unfinishedAt - submittedAt),
    );
  }

  #lawOf(model: string, type: string): DurationLaw {
    const name = JSON.stringify([model, type]);
    const law = this.#laws.get(name) ?? new DurationLaw();
    this.#laws.set(name, law);
    return law;
  }
}
