import {
  DESCRIBED_INPUTS,
  type DescribedInput,
  type FieldText,
  noteOf,
} from "../../src/contract/input-texts.js";
import { type FieldRule, modesOf } from "../../src/contract/inputs.js";
import { foreignFields } from "../../src/contract/request-rules.js";
import { capitalized } from "../../src/contract/text.js";
import { type JsonSchema, reference } from "./schema.js";

/** The schema of a request for a task, and one for each kind of `input`. */
export function requestSchemas(
  inputs: readonly DescribedInput[] = DESCRIBED_INPUTS,
): Record<string, JsonSchema> {
  const schemas = inputs.map((each) => [schemaName(each), requestSchema(each, inputs)] as const);
  return {
    TaskRequest: {
      description: "The task to create: exactly one of these. Unknown fields are ignored.",
      oneOf: schemas.map(([name]) => reference("schemas", name)),
    },
    ...Object.fromEntries(schemas),
  };
}

/** Such as `InspirationMusicRequest`. */
function schemaName({ kind, task_type: taskType }: DescribedInput): string {
  const name = `_${kind}`.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return `${name}${kind === taskType ? "" : "Music"}Request`;
}

function requestSchema(described: DescribedInput, inputs: readonly DescribedInput[]): JsonSchema {
  const { model, task_type: taskType, credits, texts } = described;
  return {
    type: "object",
    description: `${capitalized(texts.result)}. ${credits} ${credits === 1 ? "credit" : "credits"}.`,
    required: ["model", "task_type", "input"],
    properties: {
      model: { const: model },
      task_type: { const: taskType },
      input: inputSchema(described, inputs),
      audio_format: {
        type: "string",
        enum: ["mp3"],
        description:
          taskType === "lyrics"
            ? "Accepted and returned, without effect."
            : "Requests MP3. By default, the audio has the provider's own format.",
      },
    },
    additionalProperties: {},
  };
}

function inputSchema(described: DescribedInput, inputs: readonly DescribedInput[]): JsonSchema {
  const { model, task_type: taskType, fields, texts, ignored = [], oneOf = [] } = described;
  const choosers = modesOf(inputs, model, taskType).flatMap(({ chosenBy = [] }) => chosenBy);
  const forbidden = [
    ...foreignFields(inputs, model),
    // They would choose another mode.
    ...choosers.filter((name) => !(name in fields) && !ignored.includes(name)),
  ];
  const required = Object.keys(fields).filter((name) => fields[name]?.isRequired === true);
  const effectless = { description: "Accepted, without effect in this mode." };
  const properties: Record<string, JsonSchema> = {
    ...Object.fromEntries(ignored.map((name) => [name, effectless])),
    ...Object.fromEntries(forbidden.map((name) => [name, false])),
  };
  for (const [name, rule] of Object.entries(fields)) properties[name] = fieldSchema(rule, texts.fields[name]);
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    ...oneNotBlank(oneOf),
    additionalProperties: {},
  };
}

function fieldSchema(rule: FieldRule, text: FieldText | undefined): JsonSchema {
  const { type, choices, minimum, maximum, isRequired, isPublicUrl } = rule;
  // JSON Schema has no flag for either case.
  const pattern = isPublicUrl === true ? "^[Hh][Tt][Tt][Pp][Ss]?://" : isRequired === true ? "\\S" : null;
  return {
    ...(type !== "any" && { type }),
    ...(choices !== undefined && { enum: choices }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(pattern !== null && { pattern }),
    ...(text !== undefined && { description: `${text.description} ${noteOf(rule, text)}`.trim() }),
  };
}

/** The one rule about several fields at once: one of them must not be blank. */
function oneNotBlank([first, ...others]: readonly string[]) {
  if (first === undefined) return {};
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: { not: { anyOf: others.map(notBlank) } }, then: notBlank(first) };
}

function notBlank(name: string) {
  return { required: [name], properties: { [name]: { pattern: "\\S" } }, additionalProperties: {} };
}
