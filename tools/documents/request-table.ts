import {
  DESCRIBED_INPUTS,
  type DescribedInput,
  exampleInput,
  meaningsOf,
  neededFields,
  noteOf,
} from "../../src/contract/input-texts.js";
import { type FieldRule, fieldNames } from "../../src/contract/inputs.js";

/** The requests and the fields of their `input`, as the tables of `docs/options.md` and of the skill. */
export function requestTables(inputs: readonly DescribedInput[] = DESCRIBED_INPUTS): string {
  const requests = inputs.map((described) => {
    const { model, task_type: type, credits, fields, texts } = described;
    const needed = neededFields(described);
    const optional = Object.keys(fields).filter((name) => !needed.includes(name));
    const example = Object.entries(exampleInput(described)).map(
      ([name, value]) => `${name}: ${JSON.stringify(value)}`,
    );
    return row(
      texts.result,
      code(model),
      code(type),
      credits,
      needed.map(code).join(" or "),
      optional.map(code).join(", "),
      code(`{ ${example.join(", ")} }`),
    );
  });
  const fields = fieldNames(inputs).flatMap((name) => {
    const meanings = meaningsOf(name, inputs);
    return meanings.map(({ rule, text, kinds }) => {
      const of = meanings.length > 1 ? ` (${kinds.map(({ texts }) => texts.result).join("; ")})` : "";
      return row(`${code(name)}${of}`, typeOf(rule), `${text.description} ${noteOf(rule, text)}`.trim());
    });
  });
  return [
    row(
      "Makes",
      "`model`",
      "`task_type`",
      "Credits",
      "Required in `input`",
      "Optional in `input`",
      "Example of `input`",
    ),
    row("---", "---", "---", "---", "---", "---", "---"),
    ...requests,
    "",
    row("Field of `input`", "Type", "Meaning"),
    row("---", "---", "---"),
    ...fields,
  ].join("\n");
}

function typeOf({ type, choices, minimum, maximum, isRequired, isPublicUrl }: FieldRule): string {
  if (choices !== undefined) return choices.map((each) => code(JSON.stringify(each))).join(", ");
  if (isPublicUrl === true) return "string, an address";
  if (isRequired === true && type === "string") return "string, not blank";
  const name = type === "integer" ? "whole number" : type;
  const least = minimum === undefined ? "" : `, ${minimum} or more`;
  return `${name}${least}${maximum === undefined ? "" : `, ${maximum} or less`}`;
}

function row(...cells: readonly (string | number)[]): string {
  return cells[0] === "---" ? `|${cells.join("|")}|` : `| ${cells.join(" | ")} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
