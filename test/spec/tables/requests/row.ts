import type { ErrorCode } from "../errors.js";

/** The service's response to a request: accepted, or refused with this code. */
export type Verdict = "accepted" | ErrorCode;

/** One request, and the expected response. */
export interface RequestRow {
  name: string;
  /** Which part of the interface decides. */
  section: string;
  body: unknown;
  expected: Verdict;
}

export function bodies(
  section: string,
  rows: readonly (readonly [name: string, body: unknown, expected: Verdict])[],
) {
  return rows.map(([name, body, expected]): RequestRow => ({ section, name, body, expected }));
}

export function inputs(
  section: string,
  model: string,
  taskType: string,
  rows: readonly (readonly [name: string, input: unknown, expected: Verdict])[],
) {
  return bodies(
    section,
    rows.map(([name, input, expected]) => [name, { model, task_type: taskType, input }, expected] as const),
  );
}
