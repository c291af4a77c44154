import { dateAt } from "../time/date.js";
import type { BudgetOptions } from "./budget.js";

/** A day or a month of a time zone, or all time. */
export interface Period {
  /** Sorts by time: `2026-11-24`, `2026-11`, or `total`. */
  readonly name: string;
  /** Its end; `null` of all time. */
  readonly until: Date | null;
  /** Periods before this name are no longer read. */
  readonly oldest: string;
}

const DAY_MS = 86_400_000;

/** Longer than any period: a month has 31 days, and a time zone may repeat or skip some hours. */
const LONGEST_MS: Readonly<Record<"day" | "month", number>> = { day: 2 * DAY_MS, month: 33 * DAY_MS };

/** How long an ended period is kept: the clocks of two processes may differ, and a late task may still be settled. */
const KEPT_MS = 62 * DAY_MS;

export class Periods {
  readonly #per: BudgetOptions["per"];
  readonly #format: Intl.DateTimeFormat;
  #current: { period: Period; from: number; until: number } | null = null;

  constructor({ per, timeZone = "UTC" }: Pick<BudgetOptions, "per" | "timeZone">) {
    const locale = "en-u-ca-gregory-nu-latn";
    this.#per = per;
    this.#format = new Intl.DateTimeFormat(locale, {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
  }

  /** The period of a time in milliseconds since the epoch. */
  at(now: number): Period {
    const known = this.#current;
    if (known !== null && known.from <= now && now < known.until) return known.period;
    const period = this.#find(now);
    this.#current = { period, from: now, until: period.until?.getTime() ?? Number.POSITIVE_INFINITY };
    return period;
  }

  #find(now: number): Period {
    const per = this.#per;
    if (per === "total") return { name: "total", until: null, oldest: "" };
    const name = this.#nameAt(now);
    let [inside, outside] = [now, now + LONGEST_MS[per]];
    while (outside - inside > 1) {
      const middle = Math.floor((inside + outside) / 2);
      if (this.#nameAt(middle) === name) inside = middle;
      else outside = middle;
    }
    return { name, until: dateAt(outside), oldest: this.#nameAt(now - KEPT_MS) };
  }

  #nameAt(time: number): string {
    const parts = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, value]));
    const month = `${(parts.get("year") ?? "").padStart(4, "0")}-${parts.get("month")}`;
    return this.#per === "month" ? month : `${month}-${parts.get("day")}`;
  }
}

export function reservationId(period: Pick<Period, "name">, uuid: string): string {
  return `${period.name}/${uuid}`;
}

/** The name of the period in which a reservation was made. */
export function periodOf({ id }: { id: string }): string {
  return id.slice(0, id.lastIndexOf("/"));
}
