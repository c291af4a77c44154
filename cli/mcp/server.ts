import { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod/mini";
import type { Terminal } from "../terminal.js";
import { type CallTimer, ToolCalls } from "./calls.js";
import { confirmationBy } from "./confirmation.js";
import { readMessages } from "./messages.js";
import type { CallContext } from "./progress-reports.js";
import { batchArguments, creatingTools, ORDER, type PaidArguments, requestOfTool } from "./requests.js";
import { BALANCE, BATCH, FILES, RESULT } from "./results.js";
import { type McpFlags, prepare } from "./setup.js";

/** Serves the tools on stdin and stdout until stdin ends or a signal arrives. */
export async function serveMcp(flags: McpFlags, version: string, terminal: Terminal): Promise<void> {
  const { server, end } = await createMcpServer(flags, version, terminal);
  const write = (message: string) => {
    // The line break is written apart, so that nothing which is redacted from a message can join two of them.
    terminal.stdout.write(message.trimEnd());
    terminal.stdout.write("\n");
  };
  const { JSONRPCMessageSchema, StdioServerTransport } = await import("./library.js");
  const isMessage = (document: unknown) => JSONRPCMessageSchema.safeParse(document).success;
  const input = Readable.from(readMessages(terminal.stdin(), isMessage, write), { objectMode: false });
  const output = new Writable({
    write(chunk, _, written) {
      write(String(chunk));
      written();
    },
  });
  const ended = new Promise<void>((resolve) => {
    terminal.onSignal(() => resolve());
    server.server.onclose = resolve;
    finished(input).then(resolve, () => resolve());
  });
  await server.connect(new StdioServerTransport(input, output));
  if (terminal.stderr.isTerminal)
    terminal.stderr.write("Serving the Model Context Protocol on stdin and stdout. Ctrl-C ends it.\n");
  await ended;
  await end();
}

const INSTRUCTIONS =
  "These tools create songs and lyrics for credits of 0.01 USD, in 30 seconds to 5 minutes. An order names one paid result. " +
  "Choose a new order for each result that the user wants, such as `birthday-song-1`. Repeating a call with its order is " +
  "safe: it continues with the same result and is charged once. After an error, an interruption or a receipt, keep the " +
  "order and do what `next` or the error says.";

const READING_HINTS = { readOnlyHint: true, openWorldHint: true };
/** The journal makes a repeated call the same order. */
const CHANGING_HINTS = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** The only question of the server has no fields, so a reply has no content that could be wrong. */
const UNCHECKED = {
  getValidator: () => (data: unknown) => ({
    valid: true as const,
    data: data as never,
    errorMessage: undefined,
  }),
};

/** The server with its tools, which is not connected yet. */
export async function createMcpServer(
  flags: McpFlags,
  version: string,
  terminal: Terminal,
  sleep?: CallTimer,
): Promise<{ server: McpServer; end: () => Promise<void> }> {
  const setup = await prepare(flags, terminal);
  const { McpServer } = await import("./library.js");
  const server = new McpServer(
    { name: "async-music", version },
    { instructions: INSTRUCTIONS, jsonSchemaValidator: UNCHECKED },
  );
  const calls = new ToolCalls(setup, confirmationBy(server), terminal, sleep);
  registerTools(server, calls, setup.out);
  return { server, end: () => calls.end() };
}

/** @param out - The directory of the audio. */
function registerTools(server: McpServer, calls: ToolCalls, out: string): void {
  const tools = creatingTools();
  for (const { name, title, description, inputSchema, requestOf } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema, outputSchema: RESULT, annotations: CHANGING_HINTS },
      async (given: PaidArguments, extra: CallContext) => calls.create(given, () => requestOf(given), extra),
    );
  server.registerTool(
    "make_batch",
    {
      title: "Make a batch",
      description:
        "Creates the results of several orders at once, each at its own price and under its own name. If all together cost too much, nothing is sent. Returns what is known of each order after 50 s at the latest.",
      inputSchema: batchArguments(tools),
      outputSchema: BATCH,
      annotations: CHANGING_HINTS,
    },
    async ({ orders, max_credits }, extra) => {
      const requests = orders.map((given) => ({
        order: given.order,
        requestOf: () => requestOfTool(tools, given),
      }));
      return calls.createAll(requests, max_credits, extra);
    },
  );
  server.registerTool(
    "check_order",
    {
      title: "Check an order",
      description:
        "Waits up to 50 s for the result of an order that was placed before, also by an earlier server with this journal. Costs nothing.",
      inputSchema: z.strictObject(ORDER),
      outputSchema: RESULT,
      annotations: READING_HINTS,
    },
    async ({ order }, extra) => calls.check(order, extra),
  );
  server.registerTool(
    "download_audio",
    {
      title: "Download audio",
      description: `Waits up to 50 s for an order, and saves its audio or lyrics in ${JSON.stringify(out)}. Existing files are kept. Costs nothing.`,
      inputSchema: z.strictObject(ORDER),
      outputSchema: FILES,
      annotations: CHANGING_HINTS,
    },
    async ({ order }, extra) => calls.download(order, extra),
  );
  server.registerTool(
    "balance",
    {
      title: "Show the balance",
      description: "Returns the credits of the account, and what this server may still spend. Costs nothing.",
      inputSchema: z.strictObject({}),
      outputSchema: BALANCE,
      annotations: READING_HINTS,
    },
    async (_, extra) => calls.balance(extra),
  );
}
