import { isRecord } from "../../src/contract/service.js";
import { isUuid } from "../../src/contract/text.js";

/** What one part of a probe showed, by field: values where they matter, otherwise types. */
export type Fields = Record<string, Value>;

export type Value = string | number | boolean | null;

/** Fields whose values are compared. Of all others, only the type is. */
const VALUES = new Set(["code", "error_code"]);

/** Adds the fields of an object, and of the objects and arrays in it. */
export function addFields(fields: Fields, value: Record<string, unknown>, prefix: string): void {
  for (const [name, each] of Object.entries(value)) {
    const path = `${prefix}${name}`;
    if (path === "data.total") fields[path] = totalField(value);
    else if (VALUES.has(path) && isValue(each)) fields[path] = each;
    else if (isRecord(each)) {
      fields[path] = "object";
      addFields(fields, each, `${path}.`);
    } else if (Array.isArray(each)) {
      fields[path] = each.length === 0 ? "empty array" : "array";
      for (const item of each) addItem(fields, item, `${path}[]`);
    } else fields[path] = typeOf(each, name);
  }
}

/** Whether the total of a balance is the sum of its parts. */
export function totalField({ available, frozen, total }: Record<string, unknown>): string {
  return total === Number(available) + Number(frozen) ? "available + frozen" : "another number";
}

function addItem(fields: Fields, item: unknown, path: string): void {
  const own: Fields = { [path]: typeOf(item, "") };
  if (isRecord(item)) addFields(own, item, `${path}.`);
  mergeFields(fields, own);
}

/** Things of one kind share their fields: where they differ, all values are listed. */
export function mergeFields(fields: Fields, own: Fields): void {
  for (const [name, type] of Object.entries(own)) {
    const known = fields[name];
    fields[name] = known === undefined || known === type ? type : [known, type].sort().join(" or ");
  }
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
