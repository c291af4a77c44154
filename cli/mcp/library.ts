import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod/mini";
import { UsageError } from "../terminal.js";
import type { CallContext } from "./call-context.js";

/** What the server uses of the official packages, all from one copy of one of them. */
export interface Library {
  readonly McpServer: typeof McpServer;
  readonly StdioServerTransport: typeof StdioServerTransport;
  /** What a tool needs of the second argument that the library passes to it. */
  contextOf(extra: unknown): CallContext;
}

/** The packages that the server runs with; the first that is installed is used. */
const PACKAGES = {
  "@modelcontextprotocol/sdk": [
    "@modelcontextprotocol/sdk/server/mcp.js",
    "@modelcontextprotocol/sdk/server/stdio.js",
  ],
  "@modelcontextprotocol/server": ["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"],
} as const;

export type LibraryPackage = keyof typeof PACKAGES;

const NAMES = [
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/server",
] as const satisfies LibraryPackage[];

const COMMANDS = join("node_modules", ".bin");

/**
 * Loads the library, also from a directory of the path: `npx -p` installs only packages that the project lacks. If the project
 * has this package or the library, but not both, they are in different directories. The path names both.
 *
 * @param path - The variable PATH.
 * @param names - The packages to look for.
 * @throws UsageError the library is not installed
 */
export async function loadLibrary(path = "", names: readonly LibraryPackage[] = NAMES): Promise<Library> {
  for (const name of names) {
    const library = await unlessMissing(() => importLibrary(name));
    if (library !== null) return library;
  }
  for (const entry of path.split(delimiter)) {
    const directory = resolve(entry);
    if (!directory.endsWith(COMMANDS)) continue;
    const load = createRequire(join(directory, "../../src/package.json"));
    for (const name of names) {
      const [server, stdio] = PACKAGES[name];
      const library = await unlessMissing(async () => libraryOf(name, load(server), load(stdio)));
      if (library !== null) return library;
    }
  }
  throw new UsageError(
    "`mcp` needs the package @modelcontextprotocol/sdk or @modelcontextprotocol/server, and neither is installed. Install one beside async-music: npm install @modelcontextprotocol/sdk",
  );
}

async function importLibrary(name: LibraryPackage): Promise<Library> {
  if (name === "@modelcontextprotocol/sdk")
    return libraryOf(
      name,
      await import("@modelcontextprotocol/sdk/server/mcp.js"),
      await import("@modelcontextprotocol/sdk/server/stdio.js"),
    );
  const server = await import("@modelcontextprotocol/server");
  return libraryOf(name, server, await import("@modelcontextprotocol/server/stdio"));
}

/** The boundary: both packages offer what the server uses of them, in the same form but for the context of a call. */
function libraryOf(name: LibraryPackage, server: unknown, stdio: unknown): Library {
  const { McpServer: Server } = Object(server);
  const { StdioServerTransport: Transport } = Object(stdio);
  const parts: unknown =
    name === "@modelcontextprotocol/sdk"
      ? { McpServer: Server, StdioServerTransport: Transport, contextOf: contextOfSdk }
      : { McpServer: withJsonSchemas(Server), StdioServerTransport: Transport, contextOf: contextOfServer };
  return parts as Library;
}

type ServerClass = new (
  ...options: unknown[]
) => {
  registerTool(name: string, config: ToolConfig, call: unknown): unknown;
};

interface ToolConfig {
  inputSchema: z.ZodMiniType;
  outputSchema: z.ZodMiniType;
}

/** `@modelcontextprotocol/server` takes any schema that describes itself as JSON Schema, which those of zod/mini don't. */
function withJsonSchemas(Server: ServerClass): ServerClass {
  return class extends Server {
    override registerTool(name: string, config: ToolConfig, call: unknown) {
      const { inputSchema, outputSchema } = config;
      const schemas = { inputSchema: described(inputSchema), outputSchema: described(outputSchema) };
      return super.registerTool(name, { ...config, ...schemas }, call);
    }
  };
}

function described(schema: z.ZodMiniType): z.ZodMiniType {
  const jsonSchema = {
    input: () => z.toJSONSchema(schema, { io: "input" }),
    output: () => z.toJSONSchema(schema),
  };
  return Object.create(schema, { "~standard": { value: { ...schema["~standard"], jsonSchema } } });
}

function contextOfSdk(extra: unknown): CallContext {
  const { _meta, sendNotification } = Object(extra);
  return { progressToken: _meta?.progressToken, notify: sendNotification };
}

function contextOfServer(extra: unknown): CallContext {
  const { mcpReq } = Object(extra);
  return { progressToken: mcpReq._meta?.progressToken, notify: (message) => mcpReq.notify(message) };
}

/** `null` if the package is not installed. */
async function unlessMissing<Value>(load: () => Promise<Value>): Promise<Value | null> {
  return load().catch((error: unknown) => {
    if (["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(Object(error).code)) return null;
    throw error;
  });
}
