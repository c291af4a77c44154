import { RANGES } from "../emulator/core/ranges.js";
import { orList } from "../src/contract/request-rules.js";
import { MODELS, type Model, TASK_TYPES, type TaskType } from "../src/contract/service.js";
import { CREDITS_FOR_ALL, CREDITS_FOR_EXTRAS } from "./drift/tests.js";
import { parseDuration, parsePath, parsePolicy, parseWholeNumber } from "./flag-values.js";
import { exampleOf, inputOptionsOf } from "./input-options.js";
import { option } from "./option.js";
import { UsageError } from "./terminal.js";

/** Flags of every command that sends requests. */
export interface ConnectionFlags {
  baseUrl?: string | undefined;
  json?: boolean;
}

/** Flags of `wait` and `run`. */
export interface TaskFlags extends ConnectionFlags {
  out?: string;
  force?: boolean;
  download: boolean;
  /** In milliseconds. */
  maxWait?: number;
  /** Of `run` only. */
  journal?: string | undefined;
}

/** Flags of `run`. The fields of the request's `input` are among them, in camel case. */
export interface RunFlags extends TaskFlags {
  model?: Model;
  format?: "mp3";
  file?: string;
  wait: boolean;
  key?: string;
}

/** Flags of `relay`. Times are in milliseconds. */
export interface RelayFlags extends ConnectionFlags {
  journal: string;
  webhook?: string;
  store?: string;
  list?: boolean;
  retry?: boolean;
  lease?: number;
  timeout: number;
}

/** Flags of `batch`. */
export interface BatchFlags extends ConnectionFlags {
  out: string;
  journal: string;
  maxCredits: number;
  concurrency: number;
  yes?: boolean;
}

const JSON_OPTION = option("--json", "write the result or the error to stdout, as one JSON document");

const SERVICE_OPTIONS = [
  option("--base-url <url>", "the service address (default: ASYNC_MUSIC_BASE_URL)"),
  option("--api-key [key]", "", refuseKey).hideHelp(),
];

const CONNECTION_OPTIONS = [...SERVICE_OPTIONS, JSON_OPTION];

const WAIT_OPTIONS = [
  option(
    "-o, --out <path>",
    "where to save: a directory (an existing one, or a path that ends in /), or a file without its extension (default: this directory)",
  ),
  option("--force", "replace existing files, which are otherwise kept"),
  option("--no-download", "save no file; write the audio URLs or the lyrics to stdout").conflicts([
    "out",
    "force",
  ]),
  option(
    "--max-wait <time>",
    "stop waiting after this time, such as 90s or 10m; the task continues (default: 65m)",
    parseDuration,
  ),
  ...CONNECTION_OPTIONS,
];

/** A public recording of a few seconds, in Ogg. */
const SAMPLE_URL = "https://upload.wikimedia.org/wikipedia/commons/c/c8/Example.ogg";

/** The heading of the options that make a request. */
export const REQUEST_GROUP = "Request:";

/** The options of each command. */
export const COMMAND_OPTIONS = {
  run: [
    ...[
      ...inputOptionsOf().map((each) => each.option),
      option("--model <model>", "the model (default: provider_a)", MODELS),
      option("--format <format>", "request audio in this format", ["mp3"]),
      option(
        "--file <file>",
        "read the whole request from this JSON file, without the flags above; - reads stdin",
      ),
    ].map((each) => each.helpGroup(REQUEST_GROUP)),
    option(
      "--journal <path>",
      "directory that records the task, so that it is created at most once; needs --key",
    ),
    option("--key <name>", "your name for this request in the journal, such as an order ID"),
    option("--no-wait", "submit the task, write its ID to stdout and exit").conflicts([
      "out",
      "force",
      "download",
      "maxWait",
    ]),
    ...WAIT_OPTIONS,
  ],
  wait: WAIT_OPTIONS,
  batch: [
    option("-o, --out <directory>", "where to save the files and results.jsonl").makeOptionMandatory(),
    option(
      "--journal <path>",
      "directory that records the orders, so that each is charged at most once",
    ).makeOptionMandatory(),
    option(
      "--max-credits <n>",
      "the most that the lines of the file may cost together, in credits",
      parseWholeNumber(0),
    ).makeOptionMandatory(),
    option("--concurrency <n>", "how many tasks may be unfinished at once", parseWholeNumber(1)).default(10),
    option("-y, --yes", "order without a confirmation on a terminal"),
    ...CONNECTION_OPTIONS,
  ],
  orders: [option("--journal <path>", "the journal to list").makeOptionMandatory(), JSON_OPTION],
  settle: [
    option("--journal <path>", "the journal that contains the key").makeOptionMandatory(),
    option("--task-id <id>", "the ID of the created task; the next run with the key waits for it"),
    option("--not-created", "no task was created; the next run with the key creates one"),
    option("--offline", "record the ID without reading the task from the service"),
    option("--force", "accept --not-created for a request that began less than 2 minutes ago"),
    ...CONNECTION_OPTIONS,
  ],
  relay: [
    option(
      "--journal <location>",
      "the journal of the orders: a directory, or a postgres:// or redis:// URL",
    ).makeOptionMandatory(),
    option("--webhook <url>", "where to post the end of each order"),
    option("--store <module>", "a JavaScript module whose function stores each song before it is posted"),
    option("--list", "list the orders whose end was not delivered, and exit").conflicts("retry"),
    option("--retry", "also try the orders again on which a relay has given up"),
    option("--timeout <time>", "how long a post may take, and --store at the end", parseDuration).default(
      15_000,
      "15s",
    ),
    option(
      "--lease <time>",
      "how long other relays wait before they take over the orders of a relay that was killed (default: 60s)",
      parseDuration,
    ),
    ...SERVICE_OPTIONS,
    option("--json", "with --list: write the list or the error to stdout, as one JSON document"),
  ],
  balance: CONNECTION_OPTIONS,
  usage: CONNECTION_OPTIONS,
  drift: [
    option(
      "--max-credits <n>",
      `the most credits that the check may spend; ${CREDITS_FOR_ALL} are enough for all tests but uploads, and ${CREDITS_FOR_EXTRAS} for those as well`,
      parseWholeNumber(0),
    ).default(CREDITS_FOR_ALL),
    option("--report <file>", "also write the report to this file, as Markdown"),
    option("--upload-url <url>", "a public address of short audio that is not MP3").default(
      SAMPLE_URL,
      "a recording of Wikimedia Commons",
    ),
    ...CONNECTION_OPTIONS,
  ],
  mcp: [
    // Both are required: `mcp` names all that is missing at once.
    option(
      "--max-credits <n>",
      "the most that all orders of the journal may cost together, in credits",
      parseWholeNumber(0),
    ),
    option("--journal <path>", "directory that records the orders, so that each is charged at most once"),
    option("-o, --out <directory>", "where `download_audio` saves files").default("."),
    ...SERVICE_OPTIONS,
  ],
  certify: [
    option(
      "--report <file>",
      "also write the report to this file, as Markdown, and its badge beside it, as an SVG image",
    ),
    option("--only <name>", "run only this scenario; repeatable").argParser((name, names: string[] = []) => [
      ...names,
      name,
    ]),
    option("--list", "list the scenarios, and exit"),
    option("--concurrency <n>", "how many scenarios may run at once", parseWholeNumber(1)).default(12),
    option("--timeout <time>", "how long the client may take for one song", parseDuration).default(
      45_000,
      "45s",
    ),
    JSON_OPTION,
  ],
  emulator: [
    option(
      "--port <port>",
      "port to listen on; 0 for a free one (default: 4010, or a free one with a command)",
      parseWholeNumber(0, 65_535),
    ),
    option("--host <host>", "address to listen on; 0.0.0.0 or :: for all addresses").default("127.0.0.1"),
    option(
      "--allow-host <name>",
      "host name under which other machines may use the control plane and the dashboard, without a key; repeatable",
    ).argParser((name, names: string[] = []) => [...names, name]),
    option("--clock <clock>", "real: follows system time; virtual: moves only when advanced", [
      "real",
      "virtual",
    ]).default("real"),
    option("--seed <n>", "seed of all IDs, durations and songs", parseWholeNumber()),
    option(
      "--future <n>",
      "play a later version of the service, drawn from this number: unknown statuses, codes and fields",
      parseWholeNumber(),
    ),
    option("--credits <n>", "credits of the first account", parseWholeNumber(...RANGES.credits)),
    option(
      "--seed-file <file>",
      "start with the accounts, tasks, outcomes and faults in this JSON file",
      parsePath,
    ).conflicts("credits"),
    option(
      "--policy <name=value>",
      "policy option, such as audio_conversion=off, instead of its default or that at the top of the seed file; repeatable",
    ).argParser(parsePolicy),
    option("--api-key <key>", "API key of the first account; it begins with emu_"),
    option(
      "--state <file>",
      "load the state from this file, and save it there at exit; an existing file can't be combined with --seed, --future, --seed-file, --credits or --policy, and --api-key replaces its first key",
      parsePath,
    ),
    option("--json", "write one line of JSON when the emulator accepts connections"),
  ],
} as const;

/** Otherwise commander's error for an unknown option would repeat the key. */
function refuseKey(): never {
  throw new UsageError(
    "There is no --api-key, because other users of this machine can read flags. Set ASYNC_MUSIC_API_KEY.",
  );
}

export function parseTaskType(text: string): TaskType {
  const type = TASK_TYPES.find((each) => each === text);
  if (type !== undefined) return type;
  // The text is not repeated: it may be a prompt, or a key.
  throw new UsageError(
    `Unknown type. Use ${orList(TASK_TYPES)}, and describe the result with a flag: ${exampleOf()}`,
  );
}
