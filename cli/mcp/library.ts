import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { UsageError } from "../terminal.js";

/** What the server uses of @modelcontextprotocol/sdk, all from one copy of it. */
export type Library = Awaited<ReturnType<typeof importLibrary>>;

const COMMANDS = join("node_modules", ".bin");

/**
 * Loads the library, also from a directory of the path: `npx -p` installs only packages that the project lacks. If the project
 * has this package or the library, but not both, they are in different directories. The path names both.
 *
 * @param path - The variable PATH.
 * @throws UsageError the library is not installed
 */
export async function loadLibrary(path = ""): Promise<Library> {
  try {
    return await importLibrary();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  for (const entry of path.split(delimiter)) {
    const directory = resolve(entry);
    if (!directory.endsWith(COMMANDS)) continue;
    try {
      return requireLibrary(createRequire(join(directory, "../../src/package.json")));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  throw new UsageError(
    "`mcp` needs the package @modelcontextprotocol/sdk, which is not installed. Install it beside async-music: npm install @modelcontextprotocol/sdk",
  );
}

async function importLibrary() {
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  return { McpServer, StdioServerTransport };
}

function requireLibrary(load: NodeJS.Require): Library {
  const { McpServer } = load("@modelcontextprotocol/sdk/server/mcp.js");
  const { StdioServerTransport } = load("@modelcontextprotocol/sdk/server/stdio.js");
  return { McpServer, StdioServerTransport };
}

function isMissing(error: unknown): boolean {
  return ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(Object(error).code);
}
