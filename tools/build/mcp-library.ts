import type { Plugin } from "esbuild";

/** What the official MCP library imports and the agent server never calls: two thirds of the library. */
const UNUSED: Readonly<Record<string, string>> = {
  // The server passes a validator of its own.
  "../validation/ajv-provider.js": "export class AjvJsonSchemaValidator {}",
  // It describes schemas of zod 3. Those of the server are of zod 4.
  "zod-to-json-schema": "export function zodToJsonSchema() { return {}; }",
};

/** Leaves what the agent server does not use out of the bundled MCP library. */
export const mcpLibrary: Plugin = {
  name: "mcp-library",
  setup(build) {
    build.onResolve({ filter: /ajv-provider\.js$|^zod-to-json-schema$/ }, ({ path }) =>
      path in UNUSED ? { path, namespace: "unused" } : null,
    );
    build.onLoad({ filter: /./, namespace: "unused" }, ({ path }) => ({ contents: UNUSED[path] ?? "" }));
  },
};
