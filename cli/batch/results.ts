import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isRecord } from "../../src/contract/service.js";
import { isError, messageOfThrown } from "../../src/contract/thrown.js";
import type { Redactor } from "../../src/errors/redactor.js";
import * as sdk from "../../src/index.js";
import { exists, ignoring, writeNewFile, writeWholeFile } from "../../src/node/durable.js";
import { shellMessage } from "../report.js";
import type { SavedFile } from "../save.js";
import type { PlannedLine } from "./plan.js";

export const RESULTS_FILE = "results.jsonl";
export const FAILED_FILE = "failed.jsonl";

/** The line of `results.jsonl` for a line of the batch. */
export interface LineResult {
  id: string;
  attempt: number;
  /**
   * The status of the task; `success` once its files are saved, and `not_saved` until then. `not_sent`: there is no task.
   * `unknown`: it is not known whether there is one.
   */
  status: "success" | "not_saved" | "failure" | "timeout" | "unknown" | "not_sent" | (string & {});
  task_id: string | null;
  files: SavedFile[];
  /** What all attempts of the line cost, without refunds; `null` if that is unknown. */
  credits: number | null;
  error: LineError | null;
}

export interface LineError {
  name: string;
  message: string;
  errorCode: string | null;
  requestId: string | null;
}

export function errorOf(thrown: unknown, taskId: string | null): LineError {
  const error = isError(thrown) ? thrown : new Error(messageOfThrown(thrown));
  const { errorCode, requestId } = Object(error);
  return {
    name: error instanceof sdk.AsyncMusicError ? error.name : "Error",
    message: shellMessage(error, taskId, "Run the same command again."),
    errorCode: typeof errorCode === "string" ? errorCode : null,
    requestId: typeof requestId === "string" ? requestId : null,
  };
}

/** A line and its result, which changes while the batch runs. */
export interface Item {
  line: PlannedLine;
  result: LineResult;
  /** Whether another attempt needs a key of its own: the key belongs to a task without a result. */
  isUsedUp: boolean;
}

/** The item of a line before anything was done for it. */
export function itemOf(line: PlannedLine): Item {
  const { id, attempt, entry, earlierCredits } = line;
  const result: LineResult = {
    ...{ id, attempt, status: "not_sent", task_id: null, files: [], credits: earlierCredits, error: null },
  };
  if (entry?.state === "intent") Object.assign(result, { status: "unknown", credits: null });
  if (entry?.state === "submitted") {
    const { task_id, status, submission } = entry;
    const isRefunded = status !== undefined && status !== "success";
    const unsaved = status === "success" ? "not_saved" : (status ?? "pending");
    const cost = isRefunded ? 0 : (submission?.credits_charged ?? null);
    Object.assign(result, { status: unsaved, task_id, credits: creditsWith(line, cost) });
  }
  return { line, result, isUsedUp: false };
}

/** What all attempts of a line cost, with that of its last task. */
export function creditsWith({ earlierCredits }: PlannedLine, cost: number | null): number | null {
  return cost === null ? null : earlierCredits + cost;
}

/** Notes that the request is not sent, since the service has said that it can never succeed. */
export function noteHopeless({ line, result }: Item): void {
  const message = `Not sent: task ${line.hopelessTaskId} of an earlier attempt has failed with \`retryable: false\`, so this request can never succeed. Change the request.`;
  result.error = { name: "Error", message, errorCode: null, requestId: null };
}

/** The results that an earlier command has written, by `id`. They only save requests: the journal decides what is paid. */
export async function readResults(out: string): Promise<Map<string, LineResult>> {
  const path = join(out, RESULTS_FILE);
  const text = await readFile(path, "utf8")
    .catch(ignoring("ENOENT"))
    .catch((cause: unknown) => {
      throw new Error(`Failed to read ${path}: ${messageOfThrown(cause)}. Nothing was sent.`, { cause });
    });
  const results = new Map<string, LineResult>();
  for (const line of (text ?? "").split("\n")) {
    const result = parsedResult(line);
    if (result !== null) results.set(result.id, result);
  }
  return results;
}

function parsedResult(line: string): LineResult | null {
  try {
    const value: unknown = JSON.parse(line);
    return isResult(value) ? value : null;
  } catch {
    return null;
  }
}

function isResult(value: unknown): value is LineResult {
  if (!isRecord(value)) return false;
  const { id, attempt, status, task_id, files, credits } = value;
  const isFile = (file: unknown) => isRecord(file) && typeof file["path"] === "string";
  return (
    [id, status, task_id].every((field) => typeof field === "string") &&
    [attempt, credits].every(Number.isInteger) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

/** Takes over the files of an earlier command that still exist. Returns whether they are the whole result. */
export async function takeOver(
  { result }: Item,
  earlier: LineResult | undefined,
  out: string,
): Promise<boolean> {
  // Before the key is closed, a run has to close it.
  if (result.status !== "not_saved" || earlier?.task_id !== result.task_id) return false;
  for (const file of earlier.files) {
    const path = join(out, basename(file.path));
    if (await exists(path)) result.files.push({ ...file, path });
  }
  if (earlier.status !== "success" || result.files.length < earlier.files.length) return false;
  Object.assign(result, { status: "success", credits: earlier.credits });
  return true;
}

/** Writes the results without the API key, which the service may echo in the ID of a clip. */
export function writeResults(out: string, items: readonly Item[], redactor: Redactor): Promise<unknown> {
  return writeLines(
    join(out, RESULTS_FILE),
    items.map(({ result }) => redactor.data(result)),
  );
}

/**
 * The lines without a result, as a file for another batch. A task that failed belongs to its key permanently, so its line has
 * the next attempt. An order with an unknown outcome is not among them, nor a task that has not ended.
 */
export function failedLines(items: readonly Item[]): object[] {
  return items.filter(hasFailed).map(({ line, isUsedUp }) => {
    const attempt = line.attempt + Number(isUsedUp);
    const { id, request } = line;
    return { id, ...(attempt > 1 && { attempt }), ...request };
  });
}

const FAILED: readonly string[] = ["not_sent", "not_saved", "failure", "timeout"];

export function hasFailed({ result }: Item): boolean {
  return FAILED.includes(result.status);
}

export function writeFailed(out: string, items: readonly Item[]): Promise<unknown> {
  return writeLines(join(out, FAILED_FILE), failedLines(items));
}

async function writeLines(path: string, documents: readonly object[]): Promise<void> {
  const text = documents.map((document) => `${JSON.stringify(document)}\n`).join("");
  await writeWholeFile(path, (draft) => writeNewFile(draft, text), { overwrite: true }).catch((cause) => {
    throw new Error(`Failed to write ${path}: ${messageOfThrown(cause)}`, { cause });
  });
}
