/** Stands for every value beyond the limit of an attribute. */
export const OTHER = "other";

/** A longer value is recorded as `OTHER`. Tenants have at most 200 characters. */
const LONGEST_VALUE = 200;

/** Returns a value as it is, or `OTHER`. */
export type BoundedValue = <Value extends string | number>(value: Value) => Value | typeof OTHER;

/**
 * Limits the distinct values of an attribute: the service, or the application, may name any number of them, and each is a
 * time series. The known values are always returned, and the first `most` others.
 */
export function createBoundedValue(known: Iterable<string | number>, most: number): BoundedValue {
  const values = new Set<string | number>(known);
  const limit = values.size + most;
  return (value) => {
    if (values.has(value)) return value;
    if (values.size >= limit || String(value).length > LONGEST_VALUE) return OTHER;
    values.add(value);
    return value;
  };
}
