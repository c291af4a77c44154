import type * as z from "zod/mini";
import { invalidOption } from "./invalid-option.js";
import { unknownNameError } from "./unknown-name.js";

/**
 * An option that fits its schema, whose messages complete "Expected … to".
 *
 * @throws RangeError that names the first part that does not fit.
 */
export function parseOption<Value>(name: string, schema: z.ZodMiniType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // A misspelled field is often missing under its right name, too.
  const unknown = issues.find((each) => each.code === "unrecognized_keys");
  if (unknown !== undefined)
    throw unknownNameError(
      "field",
      unknown.keys[0] ?? "",
      unknown.message,
      [name, ...unknown.path].join("."),
    );
  const [issue] = issues;
  const path = issue?.path ?? [];
  throw invalidOption([name, ...path].join("."), issue?.message ?? "be valid", valueAt(value, path));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
