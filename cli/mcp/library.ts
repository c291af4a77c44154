/**
 * What the server uses of the official library of the Model Context Protocol. The build puts the library into a file of its own,
 * so that the `async-music` package is all that a client has to install.
 */

export { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
export { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
export { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
