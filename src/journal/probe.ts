import type { Evidence } from "../errors/connection-errors.js";
import type { Count, CreateCount } from "./create-count.js";

/** A reading of `usage.tasks_created`, between two counts of what this client itself has created. */
export interface Sounding {
  tasksCreated: number;
  before: Count;
  after: Count;
}

/** How many tasks the account has, and how many of them are this client's own. */
export interface Probe {
  count: CreateCount;
  /** What was read before this client's latest POSTs with an unknown outcome, by the intent's revision. */
  lost: Map<string, Sounding>;
  /** Ends with the run that asks, as everything of it. */
  readTasksCreated(): Promise<number>;
}

export async function sound({ count, readTasksCreated }: Probe): Promise<Sounding> {
  const before = count.now();
  const tasksCreated = await readTasksCreated();
  return { tasksCreated, before, after: count.now() };
}

/** A reading by another client, at a time of which nobody knows how many tasks this one had created by then. */
export function foreignSounding(tasksCreated: number): Sounding {
  const none = { accepted: 0, open: 0, unknown: 0 };
  const all = { accepted: Number.POSITIVE_INFINITY, open: 0, unknown: 0 };
  return { tasksCreated, before: none, after: all };
}

/**
 * What two soundings say of one POST between them. This client's other creates are counted out: at least those that
 * began after the first reading and were answered before the second, at most all that touched the time between. Where
 * the rest is neither nothing nor this one task, somebody else creates tasks too.
 *
 * @param own - how many of the second count's unknown submissions are the POST itself
 */
export function evidenceOf(first: Sounding, second: Sounding, own: 0 | 1): Evidence {
  const fewest = Math.max(0, second.before.accepted - first.after.accepted - first.after.open);
  const { accepted, open, unknown } = second.after;
  const most = accepted - first.before.accepted + open + (unknown - own - first.before.unknown);

  const created = second.tasksCreated - first.tasksCreated;
  const fits = (others: number) => fewest <= others && others <= most;
  if (fits(created) === fits(created - 1)) return "unclear";
  return fits(created) ? "not_created" : "created";
}
