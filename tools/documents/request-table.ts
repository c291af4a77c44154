import {
  DESCRIBED_INPUTS,
  type DescribedInput,
  type FieldRule,
  fieldNames,
  meaningsOf,
  noteOf,
} from "../../src/contract/inputs.js";

/** The requests and the fields of their `input`, as the tables of `docs/options.md`. */
export function requestTables(inputs: readonly DescribedInput[] = DESCRIBED_INPUTS): string {
  const requests = inputs.map(({ model, task_type: type, credits, fields, oneOf = [], texts }) => {
    const isNeeded = (name: string) => fields[name]?.isRequired === true || oneOf.includes(name);
    const needed = Object.keys(fields).filter(isNeeded).map(code).join(" or ");
    const optional = Object.keys(fields)
      .filter((name) => !isNeeded(name))
      .map(code)
      .join(", ");
    return row(texts.result, code(model), code(type), credits, needed, optional);
  });
  const fields = fieldNames(inputs).flatMap((name) => {
    const meanings = meaningsOf(name, inputs);
    return meanings.map(({ rule, text, kinds }) => {
      const of = meanings.length > 1 ? ` (${kinds.map(({ texts }) => texts.result).join("; ")})` : "";
      return row(`${code(name)}${of}`, typeOf(rule), `${text.description} ${noteOf(rule, text)}`.trim());
    });
  });
  return [
    row("Makes", "`model`", "`task_type`", "Credits", "Required in `input`", "Optional in `input`"),
    row("---", "---", "---", "---", "---", "---"),
    ...requests,
    "",
    row("Field of `input`", "Type", "Meaning"),
    row("---", "---", "---"),
    ...fields,
  ].join("\n");
}

function typeOf({ type, choices, minimum, isRequired, isPublicUrl }: FieldRule): string {
  if (choices !== undefined) return choices.map((each) => code(JSON.stringify(each))).join(", ");
  if (isPublicUrl === true) return "string, an address";
  if (isRequired === true && type === "string") return "string, not blank";
  const name = {
    string: "string",
    number: "number",
    integer: "whole number",
    boolean: "boolean",
    any: "any",
  }[type];
  return minimum === undefined ? name : `${name}, ${minimum} or more`;
}

function row(...cells: readonly (string | number)[]): string {
  return cells[0] === "---" ? `|${cells.join("|")}|` : `| ${cells.join(" | ")} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
