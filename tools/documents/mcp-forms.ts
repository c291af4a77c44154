import { COMMAND_OPTIONS } from "../../cli/flags.js";

/** The fields of `package.json` that name a published server. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** The name in the MCP registry, which the registry compares with the one of `server.json`. */
  readonly mcpName: string;
}

/** A flag of the agent server, with the value that the guide shows. */
interface Flag {
  readonly name: "--max-credits" | "--journal" | "--out";
  readonly example: string;
  readonly format: "number" | "filepath";
}

/** An environment variable of the agent server. */
interface Variable {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly isSecret?: true;
}

const FLAGS: readonly Flag[] = [
  { name: "--max-credits", example: "50", format: "number" },
  { name: "--journal", example: "/home/me/music-orders", format: "filepath" },
  { name: "--out", example: "/home/me/Music", format: "filepath" },
];

const VARIABLES: readonly Variable[] = [
  {
    name: "ASYNC_MUSIC_BASE_URL",
    description: "Address of the music service",
    example: "https://music.example",
  },
  {
    name: "ASYNC_MUSIC_API_KEY",
    description: "API key of the music service",
    example: "…",
    isSecret: true,
  },
];

const RUNTIME = "npx";
/** Installs the package without a question, which no client could show. */
const RUNTIME_FLAG = "-y";
const SUBCOMMAND = "mcp";

/** The form of Claude Desktop (`claude_desktop_config.json`) and of Cursor (`.cursor/mcp.json`). */
export function mcpServersForm({ name }: PublishedPackage) {
  return { mcpServers: { music: commandOf(name, ({ example }) => example) } };
}

/** The form of VS Code (`.vscode/mcp.json`), which prompts for what is secret. */
export function vsCodeForm({ name }: PublishedPackage) {
  const secrets = VARIABLES.filter(({ isSecret }) => isSecret);
  const inputs = secrets.map(({ description, ...variable }) => ({
    ...{ type: "promptString", id: idOf(variable), description, password: true },
  }));
  const command = commandOf(name, (each) => (each.isSecret ? `\${input:${idOf(each)}}` : each.example));
  return { inputs, servers: { music: { type: "stdio", ...command } } };
}

function commandOf(packageName: string, valueFor: (variable: Variable) => string) {
  const flags = FLAGS.flatMap(({ name, example }) => [name, example]);
  return {
    command: RUNTIME,
    args: [RUNTIME_FLAG, packageName, SUBCOMMAND, ...flags],
    env: Object.fromEntries(VARIABLES.map((each) => [each.name, valueFor(each)])),
  };
}

/** `music-api-key` for ASYNC_MUSIC_API_KEY. */
function idOf({ name }: Pick<Variable, "name">): string {
  return name.replace("ASYNC_", "").toLowerCase().replaceAll("_", "-");
}

/** `server.json`, from which the MCP registry and its clients learn how the server is started. */
export function registryForm({ name, version, mcpName }: PublishedPackage) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpName,
    title: "Async Music",
    description:
      "Songs and lyrics to order. Each order is charged at most once, within a ceiling of credits.",
    version,
    packages: [
      {
        registryType: "npm",
        identifier: name,
        version,
        runtimeHint: RUNTIME,
        runtimeArguments: [{ type: "positional", value: RUNTIME_FLAG }],
        packageArguments: [
          { type: "positional", value: SUBCOMMAND },
          ...FLAGS.map(({ name: flag, example, format }) => ({
            ...{ type: "named", name: flag, description: helpOf(flag), format },
            ...{ isRequired: true, placeholder: example },
          })),
        ],
        environmentVariables: VARIABLES.map(({ name: variable, description, example, isSecret }) => ({
          ...{ name: variable, description, format: "string", isRequired: true },
          ...(isSecret ? { isSecret } : { placeholder: example }),
        })),
        transport: { type: "stdio" },
      },
    ],
  };
}

/** The sentence of the help about a flag. */
function helpOf(flag: string): string {
  const text = COMMAND_OPTIONS.mcp.find(({ long }) => long === flag)?.description;
  if (text === undefined) throw new RangeError(`mcp has no flag ${flag}`);
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll("`", "");
}

/** The longest list that stands on one line, in letters. */
const LONGEST_LIST = 80;

/** A form as a document, with each short list of words on one line. */
export function formText(form: object): string {
  const text = JSON.stringify(form, null, 2);
  return text.replaceAll(
    /\[\s+("(?:[^"\\]|\\.)*"(?:,\s+"(?:[^"\\]|\\.)*")*)\s+\]/g,
    (list, words: string) => {
      const line = `[${words.replaceAll(/",\s+"/g, '", "')}]`;
      return line.length > LONGEST_LIST ? list : line;
    },
  );
}
