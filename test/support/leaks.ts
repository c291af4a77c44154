import { inspect } from "node:util";
import { expect } from "vitest";

/** Fails if any way of printing a value shows the key. */
export function expectNoKey(value: unknown, key: string): void {
  for (const [how, printed] of Object.entries(printings(value))) {
    expect(printed.includes(key), `${how} shows the key: ${printed.slice(0, 2000)}`).toBe(false);
  }
  if (value instanceof Error && value.cause !== undefined) expectNoKey(value.cause, key);
}

/** All ways of printing a value, its properties that are not enumerable included. */
export function printings(value: unknown): Record<string, string> {
  const ofError = value instanceof Error ? { message: value.message, stack: String(value.stack) } : {};
  return {
    inspect: inspect(value, { depth: 10, showHidden: true }),
    JSON: JSON.stringify(value) ?? "",
    String: String(value),
    ...ofError,
  };
}
