/** A percentage anywhere, or nothing but a number. */
const PERCENTAGE = /(?:^|[^\d.,-])(\d{1,9}(?:[.,]\d+)?)\s*%|^\s*(\d{1,9}(?:[.,]\d+)?)\s*$/;

/** Nothing that a provider reports as its progress is longer, in characters. */
const LONGEST_PROGRESS = 100;

/**
 * Returns how far a task is, from 0 to 1: 1 once it succeeded, and otherwise what the provider last reported in
 * `task.output.progress`, such as `"42%"`. A number without a sign is taken as a percentage. 0 as long as the provider
 * reports none, or none that can be read.
 *
 * @example
 * ```ts
 * for await (const task of client.tasks.watch(taskId)) console.log(Math.round(100 * progressOf(task)), "%");
 * ```
 */
export function progressOf(task: {
  readonly status: string;
  readonly output: { readonly progress?: string | null } | null;
}): number {
  if (task.status === "success") return 1;
  const [, percentage, number] =
    PERCENTAGE.exec(String(task.output?.progress ?? "").slice(0, LONGEST_PROGRESS)) ?? [];
  return Math.min(1, Number((percentage ?? number ?? "0").replace(",", ".")) / 100);
}
