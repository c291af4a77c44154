import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { DESCRIBED_INPUTS, type DescribedInput } from "../src/contract/input-texts.js";
import { chosenMode, modesOf } from "../src/contract/inputs.js";
import { isRecord } from "../src/contract/service.js";
import { messageOfThrown } from "../src/contract/thrown.js";
import { InvalidRequestError, type TaskRequest, type TaskType } from "../src/index.js";
import type { RunFlags } from "./flags.js";
import { exampleOf, inputOptionsOf } from "./input-options.js";
import { type Terminal, UsageError } from "./terminal.js";

/** The request that the flags describe, or that `--file` contains. The SDK validates it before it is sent. */
export async function requestFromFlags(
  type: TaskType | undefined,
  flags: RunFlags,
  stdin: Terminal["stdin"],
  inputs: readonly DescribedInput[] = DESCRIBED_INPUTS,
): Promise<TaskRequest> {
  const fields = inputOptionsOf(inputs).map(({ field, option, usedBy }) => {
    const value: unknown = Reflect.get(flags, option.attributeName());
    return { flag: `--${option.name()}`, field, value, usedBy };
  });
  const given = fields.filter(({ value }) => value !== undefined);
  const blank = given.find(({ value }) => typeof value === "string" && value.trim() === "");
  if (blank !== undefined) throw new UsageError(`${blank.flag} is empty. Pass text.`);

  const { file, model = "provider_a", format } = flags;
  if (file !== undefined) {
    const unused = given.map(({ flag }) => flag);
    if (flags.model !== undefined) unused.push("--model");
    if (format !== undefined) unused.push("--format");
    if (type !== undefined) unused.push(`\`${type}\``);
    if (unused.length === 0) return readRequest(file, stdin);
    throw new UsageError(`--file contains the whole request. Remove ${unused.join(", ")}.`);
  }
  if (given.length === 0)
    throw new UsageError(
      `The request is empty. Pass a flag such as ${exampleOf(type, model)}. \`run --help\` lists all flags.`,
    );
  const input = Object.fromEntries(given.map(({ field, value }) => [field, value]));
  const taskType = type ?? "music";
  const mode = chosenMode(modesOf(inputs, model, taskType), input);
  if (mode !== undefined) {
    const flagsOf = (list: typeof fields, isUsed: boolean) =>
      list.flatMap(({ flag, usedBy }) => (usedBy.includes(mode) === isUsed ? flag : [])).join(", ");
    const unused = flagsOf(given, false);
    if (unused !== "")
      throw new UsageError(
        `${unused} does not apply to ${mode.texts.result}. Remove it. Allowed: ${flagsOf(fields, true)}.`,
      );
  }
  const audio = format === undefined ? {} : { audio_format: format };
  return uncheckedRequest({ model, task_type: taskType, ...audio, input });
}

/** A request as the SDK receives one that no compiler has checked: the SDK validates it before it is sent. */
export function uncheckedRequest(request: object): TaskRequest {
  return request as TaskRequest;
}

async function readRequest(path: string, stdin: Terminal["stdin"]): Promise<TaskRequest> {
  const name = path === "-" ? "stdin" : path;
  const bytes = await (path === "-" ? buffer(stdin()) : readFile(path)).catch((error: unknown) => {
    const isMissing = Object(error).code === "ENOENT";
    const reason = isMissing ? "the file does not exist." : messageOfThrown(error);
    throw new UsageError(`Failed to read the request from ${name}: ${reason}`, { cause: error });
  });
  try {
    const request: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      refuseRounding,
    );
    if (isRecord(request)) return uncheckedRequest(request);
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    // The parser's message would quote the request.
    const message = `must be JSON in UTF-8; it was read from ${name}`;
    throw new InvalidRequestError("invalid_json", [{ path: "", message }]);
  }
  throw new InvalidRequestError("invalid_request_body", [{ path: "", message: "must be a JSON object" }]);
}

/** A larger number would be rounded, and the request charged with another value. */
export function refuseRounding(field: string, value: unknown): unknown {
  if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const message = `must be at most ${Number.MAX_SAFE_INTEGER}; a larger number would be sent rounded`;
  throw new InvalidRequestError("invalid_request_body", [{ path: field, message }]);
}
