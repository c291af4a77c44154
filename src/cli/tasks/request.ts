import { readFile } from "node:fs/promises";
import { inputVariant } from "../../contract/request-rules.js";
import { InvalidRequestError, type TaskRequest, type TaskType } from "../../index.js";
import type { InputFlags, RunFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { UsageError } from "../usage-error.js";
import { exampleOf } from "./examples.js";

/** The field of `input` that each flag is. */
const FIELDS = {
  gptDescriptionPrompt: "gpt_description_prompt",
  prompt: "prompt",
  tags: "tags",
  negativeTags: "negative_tags",
  title: "title",
  makeInstrumental: "make_instrumental",
  modelVersion: "model_version",
  continueClipId: "continue_clip_id",
  continueAt: "continue_at",
  lyrics: "lyrics",
  lyricsType: "lyrics_type",
  seed: "seed",
  url: "url",
  clipId: "clip_id",
} as const satisfies Record<keyof InputFlags, string>;

/**
 * What can be made, and the fields that matter to it. The service accepts some others and ignores them; who pays for
 * a song and gives a flag in vain is told so before.
 */
const MODES = {
  inspiration: {
    name: "A song from a description",
    fields: ["gpt_description_prompt", "negative_tags", "make_instrumental", "model_version"],
  },
  custom: {
    name: "A song from lyrics or styles",
    fields: ["prompt", "tags", "negative_tags", "title", "make_instrumental", "model_version"],
  },
  continuation: {
    name: "More of a clip",
    fields: ["continue_clip_id", "continue_at", "prompt", "title", "model_version"],
  },
  provider_b: {
    name: "A song by provider_b",
    fields: ["prompt", "lyrics", "tags", "lyrics_type", "seed"],
  },
  lyrics: { name: "Lyrics", fields: ["prompt"] },
  upload: { name: "A clip from an address", fields: ["url"] },
  concat: { name: "A continued song, whole", fields: ["clip_id"] },
} as const satisfies Record<ReturnType<typeof inputVariant>, { name: string; fields: readonly string[] }>;

/**
 * The request that the flags describe, or that stands in the file that they name. The SDK checks it, as everything that
 * comes from outside, before anything is sent.
 */
export async function requestOf(
  type: TaskType | undefined,
  flags: RunFlags,
  stdin: Surroundings["stdin"],
): Promise<TaskRequest> {
  return (await givenRequest(type, flags, stdin)) as TaskRequest;
}

async function givenRequest(
  type: TaskType | undefined,
  flags: RunFlags,
  stdin: Surroundings["stdin"],
): Promise<unknown> {
  const given = Object.entries(FIELDS).flatMap(([flag, field]) => {
    const value: unknown = Reflect.get(flags, flag);
    return value === undefined ? [] : [[field, value] as const];
  });
  const blank = given.find(([, value]) => typeof value === "string" && value.trim() === "");
  if (blank !== undefined)
    throw new UsageError(`Expected words behind ${flagOf(blank[0])}, and there are none`);
  if (flags.file === undefined) return describedRequest(type, flags, Object.fromEntries(given));

  const beside = [
    ...given.map(([field]) => flagOf(field)),
    ...(["model", "format"] as const).filter((name) => flags[name] !== undefined).map(flagOf),
    ...(type === undefined ? [] : [`\`${type}\``]),
  ];
  if (beside.length > 0) {
    throw new UsageError(`Expected no ${beside.join(", ")} beside --file, which holds the whole request`);
  }
  return readRequest(flags.file, stdin);
}

function describedRequest(
  type: TaskType = "music",
  { model = "provider_a", format }: RunFlags,
  input: Readonly<Record<string, unknown>>,
): unknown {
  if (Object.keys(input).length === 0) {
    throw new UsageError(
      `Expected what to make, such as ${exampleOf(type, model)}: see \`async-music run --help\``,
    );
  }
  const mode = MODES[inputVariant(model, type, input)];
  const fields: readonly string[] = mode.fields;
  const vain = Object.keys(input).filter((field) => !fields.includes(field));
  if (vain.length > 0) {
    throw new UsageError(
      `Expected no ${vain.map(flagOf).join(", ")}. ${mode.name} takes ${fields.map(flagOf).join(", ")}`,
    );
  }
  return { model, task_type: type, ...(format !== undefined && { audio_format: format }), input };
}

async function readRequest(path: string, stdin: Surroundings["stdin"]): Promise<unknown> {
  const bytes = await (path === "-" ? readAll(stdin) : readFile(path)).catch((error: unknown) => {
    throw new UsageError(`Cannot read the request from ${nameOf(path)}: ${reasonOf(error)}`, {
      cause: error,
    });
  });
  return parseRequest(bytes, nameOf(path));
}

/** Another encoding's characters and numbers that are too large would become others, and be paid for. */
function parseRequest(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), (field, value: unknown) => {
      if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
      const message = "must be no number beyond 9007199254740991, which would be sent as another one";
      throw new InvalidRequestError("invalid_request_body", [{ path: field, message }]);
    });
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    // What the parser says quotes the request.
    const message = `must be JSON in UTF-8, and ${name} is not`;
    throw new InvalidRequestError("invalid_json", [{ path: "", message }]);
  }
}

async function readAll(stdin: Surroundings["stdin"]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stdin) pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  return Buffer.concat(pieces);
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "there is no such file";
  return error instanceof Error ? error.message : String(error);
}

function nameOf(path: string): string {
  return path === "-" ? "stdin" : path;
}

function flagOf(field: string): string {
  return `--${field.replaceAll("_", "-")}`;
}
