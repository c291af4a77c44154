import { DurationLaw } from "./duration-law.js";
import type { WaitingTask } from "./pacer.js";
import { FREE, findPrice, nextReadAt, type ReadBudget, type Reader, type ReadPrice } from "./read-price.js";

/** How many tasks of which only the id is known are read first. */
export const SCOUTS = 3;
/** How many of the latest resumed tasks stand for those that were not read yet. */
const MOST_RESUMED = 16;
/** How many models and types have a distribution of their own; each takes about 25 KB. */
const MOST_LAWS = 16;
const LONGEST_NAME = 100;
/** No JSON: no model and type have this name. */
const OTHERS = "others";

/** When waiting tasks are read next: by what is learned of their durations, and by what a read costs. */
export class ReadSchedule {
  readonly #laws = new Map<string, DurationLaw>();
  #price: ReadPrice = FREE;
  /** The ages of tasks of other processes when this process could first poll them, latest first. */
  #resumed: { law: DurationLaw; ageMs: number }[] = [];

  /** Whether everybody is read as soon as their callers allow: then a price need not be set before anything happens. */
  get isFree(): boolean {
    return this.#price === FREE;
  }

  /** Learns from a reading; returns whether the plan should be made anew at once. */
  learn(
    { model, type, submittedAt, unfinishedAt, resumedAt }: WaitingTask,
    now: number,
    isOver: boolean,
  ): boolean {
    const law = this.#lawOf(model, type);
    const isNews = (isOver && law.isUnlearned) || (resumedAt !== undefined && this.#resumed.length < SCOUTS);
    law.learn(unfinishedAt - submittedAt, now - submittedAt, isOver);
    if (resumedAt !== undefined) {
      this.#resumed.unshift({ law, ageMs: Math.max(0, resumedAt - submittedAt) });
      this.#resumed.splice(MOST_RESUMED);
    }
    return isNews;
  }

  /** Guesses the age of a task of which only the id is known: that of a resumed task that was read, in turn. */
  guess(place: number, notBefore: number): Pick<Reader, "law" | "submittedAt" | "unfinishedAt"> | null {
    const like = this.#resumed[place % this.#resumed.length];
    if (like === undefined) return null;
    const submittedAt = notBefore - like.ageMs;
    return { law: like.law, submittedAt, unfinishedAt: submittedAt };
  }

  /** Chooses the tasks that are read now to learn how long such tasks take: the oldest ones. */
  explore<Candidate extends Reader>(readers: readonly Candidate[], now: number): Candidate[] {
    const chosen: Candidate[] = [];
    for (const law of new Set(readers.map((reader) => reader.law))) {
      if (!law.isUnlearned) continue;
      const ready = readers
        .filter((reader) => reader.law === law && reader.notBefore <= now)
        .sort((one, other) => one.submittedAt - other.submittedAt);
      chosen.push(...ready.slice(0, law.explorers(now - (ready[0]?.submittedAt ?? now))));
    }
    return chosen;
  }

  /** A task that waits for its next reading, which its caller allows from a time on. */
  reader(
    { model, type, submittedAt, unfinishedAt }: WaitingTask,
    notBefore: number,
    now: number,
    dueBy: number = Number.POSITIVE_INFINITY,
  ): Reader {
    const law = this.#lawOf(model, type);
    if (unfinishedAt === submittedAt) law.newcomers.note(now);
    return { law, submittedAt, unfinishedAt, notBefore, dueBy };
  }

  /** Sets the price of a read anew. */
  price(readers: readonly Reader[], budgets: readonly [ReadBudget, ReadBudget?]): void {
    this.#price = readers.length === 0 ? FREE : findPrice(readers, budgets, this.#price.ms);
  }

  /** When a task is read next, if there is room. */
  dueAt(reader: Reader): number {
    return nextReadAt(this.#price, reader);
  }

  /** The names come from the service: once the table is full, all further ones share a distribution. */
  #lawOf(model: string, type: string): DurationLaw {
    const name = JSON.stringify([model.slice(0, LONGEST_NAME), type.slice(0, LONGEST_NAME)]);
    const known = this.#laws.get(name);
    if (known !== undefined) return known;
    const place = this.#laws.size < MOST_LAWS ? name : OTHERS;
    const law = this.#laws.get(place) ?? new DurationLaw();
    this.#laws.set(place, law);
    return law;
  }
}
