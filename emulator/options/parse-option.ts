import type * as z from "zod/mini";
import { invalidOption } from "./invalid-option.js";

/**
 * An option that fits its schema, whose messages complete "Expected … to".
 *
 * @throws RangeError that names the first part that does not fit.
 */
export function parseOption<Value>(name: string, schema: z.ZodMiniType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const unknownField = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  if (unknownField !== undefined)
    throw invalidOption([name, ...path].join("."), "have only known fields", unknownField);
  throw invalidOption([name, ...path].join("."), issue?.message ?? "be valid", valueAt(value, path));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
