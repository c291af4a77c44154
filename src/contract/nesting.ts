/** The deepest nesting of a request or a task, in levels: deeper values overflow the stack of code that copies them. */
export const DEEPEST_NESTING = 1000;

export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const part of Object.values(value)) if (nestsDeeper(part, levels - 1)) return true;
  return false;
}
