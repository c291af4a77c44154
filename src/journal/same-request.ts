import type { JsonValue } from "../contract/wire.js";

/** Whether two requests say the same: the order of an object's keys does not matter. */
export function isSameRequest(one: JsonValue, other: JsonValue): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
