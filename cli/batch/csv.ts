import { type CsvError, parse } from "csv-parse/sync";
import { DESCRIBED_INPUTS, meaningsOf } from "../../src/contract/input-texts.js";
import { fieldNames } from "../../src/contract/inputs.js";
import { meantBy } from "../../src/contract/request-rules.js";
import { numberIn } from "../flag-values.js";
import { LINE_FIELDS, unknownField } from "./check.js";
import type { Mistake } from "./mistakes.js";
import type { FileContent, RawLine } from "./raw-lines.js";

/** A record of the file, with the line on which it begins. */
interface CsvRecord {
  line: number;
  cells: readonly string[];
}

const INPUT_FIELDS = fieldNames(DESCRIBED_INPUTS);
const LINE_COLUMNS = LINE_FIELDS.filter((name) => name !== "input");
const COLUMNS = [...LINE_COLUMNS, ...INPUT_FIELDS];
const REQUIRED = ["id", "model", "task_type"];

/**
 * Reads CSV (RFC 4180): a header, and a record for each request. A column sets the field of its name, of the request or of
 * `input`. An empty cell is an absent field.
 */
export function readCsv(bytes: Buffer): FileContent {
  const { records, mistakes } = recordsOf(bytes);
  const [header, ...rows] = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  if (header === undefined) return { lines: [], mistakes };
  const wrong = mistakesInHeader(header);
  if (wrong.length > 0) return { lines: [], mistakes: [...wrong, ...mistakes] };

  const lines: RawLine[] = [];
  for (const { line, cells } of rows) {
    if (cells.length === header.cells.length)
      lines.push({ number: line, fields: fieldsOf(header.cells, cells) });
    else
      mistakes.push({
        line,
        message: `It has ${cells.length} values, and the header has ${header.cells.length}. Put values with commas in double quotes.`,
      });
  }
  return { lines, mistakes };
}

/** The records up to the first one that can't be read: after a wrong quote, it is unclear where a record ends. */
function recordsOf(bytes: Buffer): { records: CsvRecord[]; mistakes: Mistake[] } {
  const records: CsvRecord[] = [];
  const lineAfter = lineCounter(bytes);
  let end = 0;
  try {
    parse(bytes, {
      bom: true,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record(cells: string[], context) {
        records.push({ line: lineAfter(end), cells });
        end = context.bytes;
        return null;
      },
    });
    return { records, mistakes: [] };
  } catch (error) {
    const message = `${SYNTAX_ERRORS[codeOf(error)] ?? "It is not CSV."} The lines after it were not read.`;
    return { records, mistakes: [{ line: lineAfter(end), message }] };
  }
}

/** What is wrong with the quotes of a record. The parser's messages quote the request. */
const SYNTAX_ERRORS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "The value that begins with a double quote does not end with one.",
  CSV_INVALID_CLOSING_QUOTE:
    "A comma or the end of the line must follow the closing double quote. Write a double quote in a value twice.",
  INVALID_OPENING_QUOTE:
    "A value contains a double quote. Put the value in double quotes, and write the double quote in it twice.",
};

function codeOf(error: unknown): string {
  const { code }: Partial<CsvError> = Object(error);
  return String(code);
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The line on which the record after a position begins, for positions that only increase. Empty lines are skipped. */
function lineCounter(bytes: Buffer): (end: number) => number {
  let at = 0;
  let line = 1;
  const step = () => {
    if (bytes[at++] === LINE_FEED) line++;
  };
  return (end) => {
    while (at < end) step();
    while (bytes[at] === LINE_FEED || bytes[at] === CARRIAGE_RETURN) step();
    return line;
  };
}

function mistakesInHeader({ line, cells }: CsvRecord): Mistake[] {
  const [only = ""] = cells;
  if (cells.length === 1 && /[;\t]/.test(only))
    return [{ line, message: "The header has one column. Separate the columns with commas." }];
  const names = cells.map((cell) => cell.trim());
  const unknown = names.flatMap((name, index) => {
    if (COLUMNS.includes(name))
      return names.indexOf(name) < index ? `The column \`${name}\` occurs twice.` : [];
    return name === "" ? `Column ${index + 1} has no name.` : unknownField(name, meantBy(name, COLUMNS));
  });
  const missing = REQUIRED.filter((name) => !names.includes(name)).map(
    (name) => `The column \`${name}\` is missing.`,
  );
  return [...unknown, ...missing].map((message) => ({ line, message }));
}

function fieldsOf(header: readonly string[], cells: readonly string[]): Readonly<Record<string, unknown>> {
  const given = header.flatMap((column, index) => {
    const cell = cells[index] ?? "";
    return cell === "" ? [] : [[column.trim(), cell] as const];
  });
  const own = given.filter(([name]) => LINE_COLUMNS.includes(name));
  const input = given.filter(([name]) => INPUT_FIELDS.includes(name));
  return {
    ...Object.fromEntries(own.map(([name, cell]) => [name, name === "attempt" ? numberOrText(cell) : cell])),
    input: Object.fromEntries(input.map(([name, cell]) => [name, valueIn(name, cell)])),
  };
}

/** The value of a cell in JSON. A cell that does not fit its field stays a string, which the check of the line refuses. */
function valueIn(field: string, cell: string): unknown {
  const type = meaningsOf(field, DESCRIBED_INPUTS)[0]?.rule.type;
  if (type === "number" || type === "integer") return numberOrText(cell);
  // Spreadsheets write them in capitals.
  if (type === "boolean" && /^(?:true|false)$/i.test(cell.trim()))
    return cell.trim().toLowerCase() === "true";
  return cell;
}

function numberOrText(cell: string): number | string {
  const number = numberIn(cell.trim());
  return Number.isNaN(number) ? cell : number;
}
