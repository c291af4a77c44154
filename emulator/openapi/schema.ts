import * as z from "zod/mini";
import type { JsonValue } from "../../src/contract/wire.js";

/** A JSON Schema as OpenAPI 3.1 takes it: draft 2020-12. `false` forbids. */
export type Schema = boolean | { readonly [keyword: string]: JsonValue };

/** What is said of a field beyond what the contract's schema knows: words, and what readers are lenient about. */
export type Details = Readonly<Record<string, Readonly<Record<string, JsonValue>> | false>>;

/** A schema of the contract in JSON Schema, with details added field by field; fields that it lacks come behind. */
export function fromContract(schema: z.core.$ZodType, details: Details): { [keyword: string]: JsonValue } {
  const { $schema: _, properties, ...rest } = jsonSchemaOf(schema);
  const fields: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(asObject(properties))) fields[name] = promised(field);
  for (const [name, detail] of Object.entries(details)) {
    fields[name] = detail === false ? false : { ...asObject(fields[name]), ...detail };
  }
  return { ...rest, properties: fields };
}

/** A reference to a named part of the document. */
export function reference(
  kind: "schemas" | "responses" | "parameters" | "headers" | "examples",
  name: string,
) {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The boundary at which zod's own type of a JSON Schema becomes plain JSON. Unrepresentable rules are left out. */
function jsonSchemaOf(schema: z.core.$ZodType): { [keyword: string]: JsonValue } {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as { [keyword: string]: JsonValue };
}

/** The field as the service promises it: what readers take an absent one for is their affair. */
function promised(field: JsonValue): JsonValue {
  const { default: _, ...rest } = asObject(field);
  return rest;
}

function asObject(value: JsonValue | undefined): { readonly [keyword: string]: JsonValue } {
  return isObject(value) ? value : {};
}

function isObject(value: JsonValue | undefined): value is { readonly [keyword: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
