import { DESCRIBED_INPUTS } from "../../src/contract/input-texts.js";
import { modesOf } from "../../src/contract/inputs.js";
import {
  findRequestViolation,
  foreignFields,
  meantBy,
  REQUEST_FIELDS,
  warningsAbout,
} from "../../src/contract/request-rules.js";
import { isModel, isRecord } from "../../src/contract/service.js";
import { printableLine } from "../../src/contract/text.js";
import type { TaskRequest } from "../../src/index.js";
import { uncheckedRequest } from "../request.js";
import { foldedName, idBefore, nameMistake } from "./file-names.js";
import type { Mistake } from "./mistakes.js";
import type { RawLine } from "./raw-lines.js";

/** The fields of a line. */
export const LINE_FIELDS: readonly string[] = ["id", "attempt", ...REQUEST_FIELDS];

/** All earlier attempts of a line are read from the journal. */
const HIGHEST_ATTEMPT = 1000;

/** A checked line of a batch file. */
export interface BatchLine {
  number: number;
  /** Names the files of the line, and its order in the journal. */
  id: string;
  /** From 1 to 1000. Each further attempt is an order of its own, after the task of the attempt before it has failed. */
  attempt: number;
  request: TaskRequest;
}

/** Checks all lines, each by itself and against the others. */
export function checkLines(lines: readonly RawLine[]): { checked: BatchLine[]; mistakes: Mistake[] } {
  const mistakes: Mistake[] = [];
  const checked = lines.flatMap(({ number, fields }) => {
    const found = [...mistakesInOwnFields(fields), ...mistakesInRequest(fields)];
    mistakes.push(...found.map((message) => ({ line: number, message })));
    return lineOf(number, fields);
  });
  return { checked, mistakes: [...mistakes, ...collisionsOf(checked)] };
}

function lineOf(number: number, { id, attempt = 1, ...request }: RawLine["fields"]): BatchLine[] {
  if (typeof id !== "string" || typeof attempt !== "number") return [];
  return [{ number, id, attempt, request: uncheckedRequest(request) }];
}

function mistakesInOwnFields(fields: RawLine["fields"]): string[] {
  const { id, attempt = 1 } = fields;
  const unknown = Object.keys(fields)
    .filter((name) => !LINE_FIELDS.includes(name))
    .map((name) => unknownField(name, meantBy(name, LINE_FIELDS)));
  const isAttempt = Number.isInteger(attempt) && Number(attempt) >= 1 && Number(attempt) <= HIGHEST_ATTEMPT;
  return [
    ...unknown,
    ...mistakesInId(id),
    ...(isAttempt ? [] : [`\`attempt\` must be a whole number from 1 to ${HIGHEST_ATTEMPT}.`]),
  ];
}

function mistakesInId(id: unknown): string[] {
  if (id === undefined) return ["`id` is missing."];
  if (typeof id !== "string") return ["`id` must be a string."];
  const mistake = nameMistake(id);
  return mistake === null ? [] : [`\`id\` ${shownId(id)} ${mistake}. It names the files.`];
}

/** What the service would refuse, and what it would charge for and ignore. */
function mistakesInRequest(fields: RawLine["fields"]): string[] {
  const { model, task_type: taskType, input, audio_format } = fields;
  const modes = modesOf(DESCRIBED_INPUTS, model, taskType);
  const known = modes.flatMap(({ fields: own }) => Object.keys(own));
  const foreign = isModel(model) ? foreignFields(DESCRIBED_INPUTS, model) : [];
  const isChecked = isRecord(input) && modes.length > 0;
  const names = isChecked ? Object.keys(input) : [];
  // The fields of the other model are refused below.
  const unknown = names.filter(
    (name) => !known.includes(name) && !(taskType === "music" && foreign.includes(name)),
  );
  const request = {
    ...{ model, task_type: taskType },
    input: isChecked
      ? Object.fromEntries(Object.entries(input).filter(([name]) => !unknown.includes(name)))
      : input,
    ...(audio_format !== undefined && { audio_format }),
  };
  const issues = findRequestViolation(request)?.issues ?? [];
  return [
    ...unknown.map((name) => unknownField(`input.${name}`, inputName(meantBy(name, known)))),
    ...issues.map(({ path, message }) => `${path === "" ? "It" : `\`${path}\``} ${message}.`),
    ...warningsAbout(request).map((warning) => `${warning} Remove it.`),
  ];
}

const inputName = (name: string | null) => (name === null ? null : `input.${name}`);

/** The mistake of an unknown field, with the one that was probably meant. */
export function unknownField(name: string, meant: string | null): string {
  const hint = meant === null ? "Remove it." : `Did you mean \`${meant}\`?`;
  return `Unknown field \`${printableLine(name).slice(0, LONGEST_SHOWN)}\`. ${hint}`;
}

const LONGEST_SHOWN = 60;

export function shownId(id: string): string {
  const text = printableLine(id);
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/** Lines whose files would have one name on some file system. */
function collisionsOf(lines: readonly BatchLine[]): Mistake[] {
  const first = new Map<string, BatchLine>();
  const mistakes: Mistake[] = [];
  for (const line of lines) {
    const known = first.get(foldedName(line.id));
    first.set(foldedName(line.id), known ?? line);
    if (known === undefined) continue;
    const message =
      known.id === line.id
        ? `\`id\` ${shownId(line.id)} is also the one of line ${known.number}.`
        : `\`id\` ${shownId(line.id)} and ${shownId(known.id)} of line ${known.number} are one file name on macOS and Windows.`;
    mistakes.push({ line: line.number, message });
  }
  for (const { id, number } of lines) {
    const before = idBefore(id);
    const other = before === null ? undefined : first.get(foldedName(before));
    if (other === undefined) continue;
    const message = `\`id\` ${shownId(id)} is also the file name of a further clip of ${shownId(other.id)} in line ${other.number}.`;
    mistakes.push({ line: number, message });
  }
  return mistakes;
}
