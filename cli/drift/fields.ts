import { isRecord } from "../../src/contract/service.js";
import { isUuid } from "../../src/contract/text.js";

/** What one part of a test showed, by field: values where they matter, otherwise types. */
export type ObservedFields = Record<string, Value>;

export type Value = string | number | boolean | null;

/** What the value at a path shows, such as `data.total`; `undefined`: what every value of its kind shows. */
export type ValueRule = (path: string, value: unknown, owner: Record<string, unknown>) => Value | undefined;

/** Adds the fields of an object, and of the objects and arrays in it. */
export function addFields(
  fields: ObservedFields,
  owner: Record<string, unknown>,
  prefix: string,
  rule: ValueRule = commonRule,
): void {
  for (const [name, value] of Object.entries(owner)) {
    const path = `${prefix}${name}`;
    const ruled = rule(path, value, owner);
    if (ruled !== undefined) fields[path] = ruled;
    else if (Array.isArray(value)) {
      fields[path] = value.length === 0 ? "empty array" : "array";
      Object.assign(fields, mergedFields(value.map((item) => itemFields(item, `${path}[]`, rule))));
    } else {
      fields[path] = typeOf(value, name);
      if (isRecord(value)) addFields(fields, value, `${path}.`, rule);
    }
  }
}

/** Of all other fields, only the type is compared. */
const commonRule: ValueRule = (path, value, owner) => {
  if (path === "data.total") return totalField(owner);
  return (path === "code" || path === "error_code") && isValue(value) ? value : undefined;
};

/** Whether the total of a balance is the sum of its parts. */
export function totalField({ available, frozen, total }: Record<string, unknown>): string {
  return total === Number(available) + Number(frozen) ? "available + frozen" : "another number";
}

function itemFields(item: unknown, path: string, rule: ValueRule): ObservedFields {
  const fields: ObservedFields = { [path]: typeOf(item, "") };
  if (isRecord(item)) addFields(fields, item, `${path}.`, rule);
  return fields;
}

/** The fields of things of one kind: where they differ, all values are listed. */
export function mergedFields(all: readonly ObservedFields[]): ObservedFields {
  const names = new Set(all.flatMap((fields) => Object.keys(fields)));
  return Object.fromEntries([...names].map((name) => [name, mergedValue(all, name)]));
}

function mergedValue(all: readonly ObservedFields[], name: string): Value {
  const [value = "missing", ...others] = new Set(all.map((fields) => fields[name] ?? "missing"));
  return others.length === 0 ? value : [value, ...others].sort().join(" or ");
}

export function isValue(value: unknown): value is Value {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

export function typeOf(value: unknown, name: string): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return numberType(value, name);
  if (typeof value !== "string") return typeof value;
  if (name === "task_id") return isUuid(value) ? "UUID" : "string";
  if (name.endsWith("_at")) return DATE_TIME.test(value) ? "date-time" : "string";
  if (name.endsWith("_url")) return URL.canParse(value) ? "URL" : "string";
  return value === "" ? "empty string" : "string";
}

function numberType(value: number, name: string): string {
  if (value < 0) return "negative number";
  if (name === "duration") return value > 0 ? "number" : "zero";
  return Number.isInteger(value) ? "whole number" : "fraction";
}

/** ISO 8601 with a date, a time and an offset. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
