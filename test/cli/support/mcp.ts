import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { CallTimer } from "../../../cli/mcp/calls.js";
import { createMcpServer } from "../../../cli/mcp/server.js";
import type { McpFlags } from "../../../cli/mcp/setup.js";
import { type Its, recordingTerminal } from "./terminal.js";

/** A call that never takes too long. */
export const neverEnding = () => new Promise<never>(() => {});

export interface ServerOptions {
  sleep?: CallTimer;
  /** Delays the responses to POSTs. */
  hold?: Promise<void>;
  change?: (body: string) => string;
  /** Replies to the question about a price. Without it, the client can't show one. */
  reply?: (message: string) => ElicitResult | Promise<ElicitResult>;
}

type Journaled = Pick<Its, "emulator" | "folder" | "journal">;

/** A client of a new server with this journal, on the emulator's clock. */
export async function connectMcp(its: Journaled, flags: Partial<McpFlags> = {}, options: ServerOptions = {}) {
  const { transport, ...server } = await startMcp(its, flags, options);
  return { ...(await connectClient(transport, options.reply)), ...server };
}

/** A new server with this journal, and the transport of its client. */
export async function startMcp(...given: Parameters<typeof createServer>) {
  const { server, ...others } = await createServer(...given);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  return { transport: near, ...others };
}

/** A new server with this journal, which is not connected yet. */
export async function createServer(
  { emulator, folder, journal }: Journaled,
  flags: Partial<McpFlags> = {},
  { sleep = neverEnding, hold, change = (body) => body }: ServerOptions = {},
) {
  const { baseUrl, apiKey, fetch, clock } = emulator.connection();
  const held: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    if (request.method === "POST") await hold;
    if (!response.headers.get("content-type")?.includes("json")) return response;
    return new Response(change(await response.text()), response);
  };
  const { terminal, written } = recordingTerminal({
    env: { ASYNC_MUSIC_API_KEY: apiKey, ASYNC_MUSIC_BASE_URL: baseUrl },
    client: { clock, random: () => 0, fetch: held },
  });
  const all = { journal, maxCredits: 1000, out: folder, ...flags };
  const { server, end } = await createMcpServer(all, "1.0.0", terminal, sleep);
  // A run writes the journal after the call that it ends.
  onTestFinished(end);
  return { server, end, written };
}

export async function connectClient(transport: Transport, reply?: ServerOptions["reply"]) {
  const capabilities = reply === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities });
  if (reply !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => reply(params.message));
  const unreadable: Error[] = [];
  client.onerror = (error) => unreadable.push(error);
  await client.connect(transport);
  // The client then checks results against the output schemas.
  const { tools } = await client.listTools();
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
    const [content] = result.content;
    const text = content?.type === "text" ? content.text : "";
    const links = result.content.filter(({ type }) => type === "resource_link");
    return { isError: result.isError === true, text, data: Object(result.structuredContent), links };
  };
  return { client, tools, call, unreadable };
}
