import ts from "typescript";
import * as z from "zod/mini";
import { EMULATOR_KEY_FORM } from "../../emulator/core/accounts.js";
import { NAMED } from "../../emulator/core/checks.js";
import { outcomeSchema } from "../../emulator/core/providers.js";
import {
  FIELDS_OF_STATUS,
  keyValueSchema,
  seedFileSchema,
  seedTaskSchema,
} from "../../emulator/core/seed-file/schema.js";
import { requestSchemas } from "../../emulator/openapi/requests.js";
import type { DescribedInput } from "../../src/contract/input-texts.js";
import { LIMITS } from "../../src/contract/service.js";

type JsonSchema = z.core.JSONSchema.BaseSchema;

const SOURCE = "emulator/core/seed-file/schema.ts";

/** The JSON Schema of seed files, for editors: the emulator's own schema, with the documentation of its types. */
export function seedFileJsonSchema(inputs?: readonly DescribedInput[]): JsonSchema {
  const requests = requestRules(inputs);
  const schema: JsonSchema = z.toJSONSchema(seedFileSchema, {
    io: "input",
    unrepresentable: "any",
    metadata: NAMED,
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === keyValueSchema) jsonSchema.pattern = EMULATOR_KEY_FORM.source;
      if (zodSchema === seedTaskSchema) Object.assign(jsonSchema, taskRules(requests.task));
      if (zodSchema === outcomeSchema) Object.assign(jsonSchema, outcomeRules());
      // The pattern of a format is long, and editors know the formats. All times are in UTC.
      if (jsonSchema.format === "uuid") delete jsonSchema.pattern;
      if (jsonSchema.format === "date-time") jsonSchema.pattern = "Z$";
    },
  });
  schema.$defs = { ...schema.$defs, ...requests.definitions };
  schema.title = "Seed file of the async-music emulator";
  const program = ts.createProgram([SOURCE], { strict: true, module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(SOURCE);
  const root = source?.statements.find(
    (each) => ts.isInterfaceDeclaration(each) && each.name.text === "SeedFile",
  );
  if (root === undefined) throw new Error(`${SOURCE} has no interface SeedFile.`);
  const type = checker.getTypeAtLocation(root);
  schema.description = documentationOf(type.symbol, checker);
  describe(schema, type, { checker, definitions: schema.$defs ?? {} });
  return schema;
}

/** The rules that the emulator checks with code. */
function outcomeRules() {
  const { properties } = excluded(["error", "error_code", "retryable"]);
  return {
    if: { properties: { outcome: { const: "failure" } }, required: ["outcome"] },
    else: { properties: { ...properties, retry_after_seconds: { type: "null" } } },
  };
}

/** The rules of each kind of request, from the OpenAPI document, as definitions of this schema. */
function requestRules(inputs?: readonly DescribedInput[]): {
  task: JsonSchema;
  definitions: Record<string, JsonSchema>;
} {
  const described = JSON.stringify(requestSchemas(inputs)).replaceAll('"#/components/schemas/', '"#/$defs/');
  const { TaskRequest, ...definitions } = JSON.parse(described);
  // A task that the service returns has an `audio_format` of null if the request had none.
  for (const { properties } of Object.values<JsonSchema>(definitions)) delete properties?.["audio_format"];
  return { task: { oneOf: TaskRequest.oneOf }, definitions };
}

function taskRules(task: JsonSchema) {
  return {
    ...task,
    allOf: [
      ...FIELDS_OF_STATUS.map(({ statuses, fields }) => ({
        if: { properties: { status: { enum: statuses } } },
        else: excluded(fields),
      })),
      {
        properties: {
          outcome: { properties: { outcome: { not: { const: "reject" } } } },
          process_seconds: { maximum: LIMITS.taskTimeoutMs / 1000 },
          clip_ids: { uniqueItems: true },
        },
      },
    ],
    dependentSchemas: { created_at: excluded(["created_ago"]), clip_ids: excluded(["clips"]) },
  };
}

function excluded(fields: readonly string[]) {
  return { properties: Object.fromEntries(fields.map((name) => [name, false])) };
}

interface Context {
  readonly checker: ts.TypeChecker;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/** Adds the documentation of a type's properties, at all depths. */
function describe(schema: JsonSchema, type: ts.Type, context: Context): void {
  const { checker, definitions } = context;
  const definition = definitions[schema.$ref?.replace("#/$defs/", "") ?? ""];
  for (const same of [definition, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    if (typeof same === "object") describe(same as JsonSchema, type, context);
  const items = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  if (items !== undefined && typeof schema.items === "object")
    describe(schema.items as JsonSchema, items, context);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const symbol = propertyOf(type, name);
    if (symbol === undefined || typeof property !== "object") continue;
    const inner = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    const text =
      documentationOf(symbol, checker) || documentationOf(inner.aliasSymbol ?? inner.symbol, checker);
    if (text !== "") property.description = text;
    describe(property as JsonSchema, inner, context);
  }
}

/** The property of a type, or of a member of a union. */
function propertyOf(type: ts.Type, name: string): ts.Symbol | undefined {
  const members = type.isUnion() ? type.types : [type];
  const found = members.flatMap((member) => member.getProperty(name) ?? []);
  return found.find((symbol) => symbol.getDocumentationComment(undefined).length > 0) ?? found[0];
}

/** The text and the default value in the comment of a symbol, on one line. */
function documentationOf(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker));
  const value = symbol?.getJsDocTags(checker).find(({ name }) => name === "defaultValue");
  const end = value === undefined ? [] : [`Default: ${ts.displayPartsToString(value.text)}.`];
  return [text, ...end].join(" ").replaceAll(/\s+/g, " ").trim();
}
