import type { Field } from "./tables/fields.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const TESTS: Readonly<Record<Field["type"], (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  uuid: (value) => typeof value === "string" && UUID.test(value),
  "date-time": (value) =>
    typeof value === "string" && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)),
  uri: (value) => typeof value === "string" && URL.canParse(value),
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
  object: isRecord,
  "array or object": (value) => typeof value === "object" && value !== null,
};

/**
 * Fields in which an object differs from its table: absent, undocumented or of another type. Empty if the object has
 * exactly the documented fields.
 */
export function misfits(
  value: unknown,
  fields: readonly Field[],
  extras: "none" | "pass" = "none",
): string[] {
  if (!isRecord(value)) return [`no object: ${JSON.stringify(value)}`];
  const undocumented =
    extras === "pass" ? [] : Object.keys(value).filter((key) => !fields.some(({ name }) => name === key));
  return [
    ...undocumented.map((key) => `${key} is not documented`),
    ...fields.flatMap((field) => misfit(value, field)),
  ];
}

function misfit(
  value: Readonly<Record<string, unknown>>,
  { name, type, values, nullable, optional }: Field,
): string[] {
  if (!Object.hasOwn(value, name)) return optional ? [] : [`${name} is absent`];
  const got = value[name];
  if (got === null) return nullable ? [] : [`${name} is null`];
  if (!TESTS[type](got)) return [`${name} is no ${type}: ${JSON.stringify(got)}`];
  return values === undefined || values.includes(String(got))
    ? []
    : [`${name} is none of its values: ${String(got)}`];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
