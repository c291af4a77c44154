import * as z from "zod/mini";
import { isRecord, type JsonValue } from "../../src/contract/service.js";

/** A JSON Schema as OpenAPI 3.1 takes it: draft 2020-12. `false` forbids. */
export type JsonSchema = boolean | { readonly [keyword: string]: JsonValue };

/** What the OpenAPI document adds to the schema of a field in `src/contract`. */
type FieldDetails = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>;

/** A schema of `src/contract` as a JSON Schema, with details added to its fields. Other fields follow. */
export function fromContract(
  schema: z.core.$ZodType,
  details: FieldDetails,
): { [keyword: string]: JsonValue } {
  // Rules that JSON Schema cannot express are left out.
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const { $schema: _, properties, ...rest } = described as { [keyword: string]: JsonValue };
  const fields: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(asObject(properties))) {
    // Defaults are the SDK's, not the service's.
    const { default: _, ...promised } = asObject(field);
    fields[name] = promised;
  }
  for (const [name, detail] of Object.entries(details))
    fields[name] = { ...asObject(fields[name]), ...detail };
  return { ...rest, properties: fields };
}

export function reference(kind: "schemas" | "responses" | "parameters" | "headers", name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}

function asObject(value: JsonValue | undefined): { readonly [key: string]: JsonValue } {
  return isRecord(value) ? value : {};
}
