import { InvalidArgumentError } from "commander";
import { type Model, TASK_TYPES, type TaskType } from "../contract/service.js";
import { UsageError } from "./terminal.js";

/** Flags of every command that sends requests. */
export interface ConnectionFlags {
  baseUrl?: string;
  json?: boolean;
}

/** Flags of every command that waits for a task and saves its result. */
export interface WaitFlags extends ConnectionFlags {
  out?: string;
  force?: boolean;
  download: boolean;
  /** In milliseconds. */
  maxWait?: number;
}

/** Flags of `run`. The fields of the request's `input` are among them, in camel case. */
export interface RunFlags extends WaitFlags {
  model?: Model;
  format?: "mp3";
  file?: string;
  wait: boolean;
  journal?: string;
  key?: string;
}

export interface OrdersFlags {
  journal: string;
  json?: boolean;
}

export interface SettleFlags extends ConnectionFlags {
  journal: string;
  taskId?: string;
  notCreated?: boolean;
  offline?: boolean;
}

export interface EmulatorFlags {
  /** Default: 4010, or a free port if a command is run. */
  port?: number;
  host: string;
  controlHost?: string[];
  clock: "real" | "virtual";
  seed?: number;
  credits?: number;
  apiKey?: string;
  state?: string;
  json: boolean;
}

const EXAMPLES = {
  music: '-d "rain in Lisbon"',
  lyrics: '--prompt "a lighthouse"',
  upload: "--url https://example.com/hum.mp3",
  concat: "--clip-id ID",
} as const satisfies Record<TaskType, string>;

/** An example of the flag that a request needs. */
export function exampleOf(type: TaskType = "music", model: Model = "provider_a"): string {
  return model === "provider_b" ? '--prompt "slow folk"' : EXAMPLES[type];
}

export function parseTaskType(text: string): TaskType {
  const type = TASK_TYPES.find((each) => each === text);
  if (type !== undefined) return type;
  // The text is not repeated: it may be a prompt, or a key.
  throw new UsageError(
    `Unknown type. Use ${TASK_TYPES.slice(0, -1).join(", ")} or ${TASK_TYPES.at(-1)}, and describe the result with a flag: ${exampleOf()}`,
  );
}

/** Parses a whole number within a range. */
export function wholeNumber(
  least = Number.MIN_SAFE_INTEGER,
  most = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** Parses seconds, which may have a fraction. */
export function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be seconds, such as 30 or 12.5.");
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a duration into milliseconds: `90s`, `10m`, `1h`, or a number of seconds. */
export function duration(text: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)([smh])?$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new InvalidArgumentError("It must be a duration above 0, such as 90s, 10m or 1h.");
}
