import type { Option } from "commander";
import {
  DESCRIBED_INPUTS,
  type DescribedInput,
  exampleInput,
  type Meaning,
  meaningsOf,
} from "../src/contract/input-texts.js";
import { type FieldRule, fieldNames, modesOf } from "../src/contract/inputs.js";
import type { Model, TaskType } from "../src/contract/service.js";
import { parseNumber } from "./flag-values.js";
import { option } from "./option.js";

/** Short flags, for the fields that are typed most often. */
const SHORT: Readonly<Record<string, string>> = { gpt_description_prompt: "-d" };

/** A field of `input` as an option. */
export interface InputOption {
  readonly field: string;
  readonly option: Option;
  /** The kinds of `input` that have the field. The command refuses it for others, before anything is charged. */
  readonly usedBy: readonly DescribedInput[];
}

/** An option for each field of `input`. */
export function inputOptionsOf(inputs: readonly DescribedInput[] = DESCRIBED_INPUTS): InputOption[] {
  return fieldNames(inputs).flatMap((field) => {
    const meanings = meaningsOf(field, inputs);
    const [first] = meanings;
    if (first === undefined) return [];
    const usedBy = meanings.flatMap(({ kinds }) => kinds);
    const rules = inputs.flatMap(({ fields }) => fields[field] ?? []);
    return { field, usedBy, option: inputOption(field, first.rule, rules, helpOf(meanings)) };
  });
}

function inputOption(field: string, rule: FieldRule, rules: readonly FieldRule[], help: string): Option {
  const short = SHORT[field] === undefined ? "" : `${SHORT[field]}, `;
  const value = rule.type === "boolean" ? "" : ` <${valueName(field, rule)}>`;
  const isNumber = rule.type === "number" || rule.type === "integer";
  return option(`${short}--${flagName(field)}${value}`, help, isNumber ? parseNumber(rules) : rule.choices);
}

function flagName(field: string): string {
  return field.replaceAll("_", "-");
}

/** What the help calls the value of a field: `id` of `clip_id`. */
function valueName(field: string, { type, choices, clipOf, isPublicUrl }: FieldRule): string {
  if (type === "number" || type === "integer") return "n";
  return (choices ?? clipOf ?? isPublicUrl) ? (field.split("_").at(-1) ?? field) : "text";
}

/** What a field means, for each kind of request in which it means something else. */
function helpOf(meanings: readonly Meaning[]): string {
  const texts = meanings.map(({ text, kinds }) => {
    const results = new Set(kinds.map(({ model, task_type: type }) => resultOf(model, type)));
    const isUsual = meanings.length === 1 && results.has("song");
    return `${isUsual ? "" : `${[...results].join(", ")}: `}${phrase(text.description)}`;
  });
  return texts.join("; ");
}

function resultOf(model: Model, type: TaskType): string {
  if (model === "provider_b") return model;
  return type === "music" ? "song" : type;
}

/** A sentence as the help of an option writes it. */
function phrase(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1, -1);
}

/** The flags of an example of this kind: the ones that it needs. */
export function exampleFlags(described: DescribedInput): string {
  return Object.entries(exampleInput(described))
    .map(([field, example]) => {
      const flag = SHORT[field] ?? `--${flagName(field)}`;
      const value = String(example);
      return `${flag} ${/\s/.test(value) ? `"${value}"` : value}`;
    })
    .join(" ");
}

/** An example of the flags that a request needs. */
export function exampleOf(type: TaskType = "music", model: Model = "provider_a"): string {
  const ofModel = DESCRIBED_INPUTS.filter((each) => each.model === model);
  return [...modesOf(ofModel, model, type), ...ofModel].map(exampleFlags)[0] ?? "";
}
