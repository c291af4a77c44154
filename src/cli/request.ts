import { readFile } from "node:fs/promises";
import { inputVariant } from "../contract/request-rules.js";
import { InvalidRequestError, type TaskRequest, type TaskType } from "../index.js";
import { exampleOf, type RunFlags } from "./flags.js";
import { type Terminal, UsageError } from "./terminal.js";

type Variant = ReturnType<typeof inputVariant>;

/** The fields that each kind of request uses. The service ignores others; the command refuses them before charging. */
const FIELDS = {
  inspiration: ["gpt_description_prompt", "negative_tags", "make_instrumental", "model_version"],
  custom: ["prompt", "tags", "negative_tags", "title", "make_instrumental", "model_version"],
  continuation: ["continue_clip_id", "continue_at", "prompt", "title", "model_version"],
  provider_b: ["prompt", "lyrics", "tags", "lyrics_type", "seed"],
  lyrics: ["prompt"],
  upload: ["url"],
  concat: ["clip_id"],
} as const satisfies Record<Variant, readonly string[]>;

const NAMES: Readonly<Partial<Record<Variant, string>>> = {
  inspiration: "a song with --gpt-description-prompt",
  custom: "a song without --gpt-description-prompt",
  continuation: "a song with --continue-clip-id",
  provider_b: "a song of provider_b",
};

/** The request that the flags describe, or that `--file` contains. The SDK validates it before it is sent. */
export async function requestOf(
  type: TaskType | undefined,
  flags: RunFlags,
  stdin: Terminal["stdin"],
): Promise<TaskRequest> {
  const { file, model, format } = flags;
  const input = inputOf(flags);
  if (file === undefined) return describe(type, flags, input) as TaskRequest;
  const unused = Object.entries({ ...input, model, format })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => flagOf(name));
  if (type !== undefined) unused.push(`\`${type}\``);
  if (unused.length > 0)
    throw new UsageError(`--file contains the whole request. Remove ${unused.join(", ")}.`);
  return (await readRequest(file, stdin)) as TaskRequest;
}

function inputOf(flags: RunFlags): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const field of Object.values(FIELDS).flat()) {
    const value: unknown = Reflect.get(flags, camelCase(field));
    if (typeof value === "string" && value.trim() === "")
      throw new UsageError(`${flagOf(field)} is empty. Pass text.`);
    if (value !== undefined) input[field] = value;
  }
  return input;
}

function describe(
  type: TaskType = "music",
  { model = "provider_a", format }: RunFlags,
  input: Readonly<Record<string, unknown>>,
): unknown {
  if (Object.keys(input).length === 0) {
    throw new UsageError(
      `Nothing to make. Pass a flag such as ${exampleOf(type, model)}: see \`async-music run --help\`.`,
    );
  }
  const variant = inputVariant(model, type, input);
  const fields: readonly string[] = FIELDS[variant];
  const unused = Object.keys(input).filter((field) => !fields.includes(field));
  if (unused.length > 0) {
    const [names, allowed] = [unused, fields].map((list) => list.map(flagOf).join(", "));
    throw new UsageError(
      `${names} does not apply to ${NAMES[variant] ?? variant}. Remove it. Allowed: ${allowed}.`,
    );
  }
  return { model, task_type: type, ...(format !== undefined && { audio_format: format }), input };
}

async function readRequest(path: string, stdin: Terminal["stdin"]): Promise<unknown> {
  const name = path === "-" ? "stdin" : path;
  const bytes = await (path === "-" ? readAll(stdin()) : readFile(path)).catch((error: unknown) => {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = isMissing ? "there is no such file" : error instanceof Error ? error.message : error;
    throw new UsageError(`Failed to read the request from ${name}: ${reason}`, { cause: error });
  });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    JSON.parse(text);
  } catch {
    // The parser's message would quote the request.
    throw new InvalidRequestError("invalid_json", [{ path: "", message: `must be JSON in UTF-8: ${name}` }]);
  }
  return JSON.parse(text, refuseRounding);
}

/** A larger number would be rounded, and the request charged with another value. */
function refuseRounding(field: string, value: unknown): unknown {
  if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const message = `must be at most ${Number.MAX_SAFE_INTEGER}; a larger number would be sent rounded`;
  throw new InvalidRequestError("invalid_request_body", [{ path: field, message }]);
}

async function readAll(stdin: ReturnType<Terminal["stdin"]>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stdin) pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  return Buffer.concat(pieces);
}

function flagOf(field: string): string {
  return `--${field.replaceAll("_", "-")}`;
}

function camelCase(field: string): string {
  return field.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
