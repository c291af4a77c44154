import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { AsyncMusic } from "async-music";
import { fileJournal } from "async-music/node";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { Client } from "../../tools/mcp-conformance/client.js";
import { listenOn } from "../support/loopback.js";
import { SONG_REQUEST } from "../support/responses.js";
import { createServer, startMcp } from "./support/mcp.js";
import { useTerminal } from "./support/terminal.js";

// The conformance suite of the Model Context Protocol speaks HTTP and expects tools of its own. So the agent server runs behind an
// HTTP transport of the official package, and each call of a tool of the suite becomes a call of one of ours that does the same.

const SUITE = "tools/mcp-conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js";
const LIMIT_MS = 60_000;

const song = { order: "order-1", description: "rain in Lisbon", max_credits: 10 };

/** By the scenario that applies: the tool of the suite, and the call of ours. */
const APPLICABLE: Record<string, Record<string, { name: string; arguments: object }>> = {
  "server-initialize": {},
  ping: {},
  "tools-list": {},
  "tools-call-simple-text": { test_simple_text: { name: "balance", arguments: {} } },
  "tools-call-error": {
    test_error_handling: { name: "make_song", arguments: { ...song, max_credits: 1 } },
  },
  "tools-call-with-progress": {
    // The suite can show a question about a price, but replies to none here: the order was placed before.
    test_tool_with_progress: { name: "check_order", arguments: { order: "placed-before" } },
  },
  "tools-call-elicitation": { test_elicitation: { name: "make_song", arguments: song } },
};

/** The scenarios that do not apply, by the reason. */
const NOT_APPLICABLE = {
  "the server declares no logging, prompts, completions or resources of its own": [
    "logging-set-level",
    "tools-call-with-logging",
    "completion-complete",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
  "no tool returns images, sounds or embedded resources: results name files and link them": [
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
  ],
  "the server asks the client's model nothing": ["tools-call-sampling"],
  "the only question has one field, whether the user accepts a price": [
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
  "it checks a tool of the suite by its name and the exact keywords of its schema": ["json-schema-2020-12"],
  "the server speaks on stdin and stdout: these check HTTP": [
    "server-sse-polling",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ],
};

const its = useTerminal();
beforeEach(async () => {
  // Long enough for several polls, each of which is a report.
  its.emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 30, process_seconds: 60 });
  const client = new AsyncMusic(its.emulator.connection());
  await client.tasks.create(SONG_REQUEST, { journal: fileJournal(its.journal), journalKey: "placed-before" });
});
const run = promisify(execFile);

/** Serves the agent server over HTTP, one server a session. Returns the address. */
async function serveOverHttp(calls: Record<string, object>): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const { server } = await createServer(its, { maxCredits: 100 });
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body: unknown = request.method === "POST" ? await json(request) : undefined;
    const transport = sessions.get(String(request.headers["mcp-session-id"])) ?? (await open());
    await transport.handleRequest(request, response, translated(body, calls));
  };
  const http = createHttpServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const { url } = await listenOn(http);
  return `${url}/mcp`;
}

/** A message with the tool of ours instead of the one of the suite. */
function translated(message: unknown, calls: Record<string, object>): unknown {
  const { method, params } = Object(message);
  const call = method === "tools/call" ? calls[params.name] : undefined;
  return call === undefined ? message : { ...Object(message), params: { ...params, ...call } };
}

const conformance = (...args: string[]) =>
  run(process.execPath, [SUITE, ...args], { timeout: LIMIT_MS }).catch((error: unknown) => ({
    stdout: `${Object(error).stdout}${Object(error).stderr}`,
    failed: true,
  }));

let listed: string[];
beforeAll(async () => {
  const { stdout } = await conformance("list", "--server");
  listed = [...stdout.matchAll(/^ {2}- (\S+)/gm)].flatMap(([, name = ""]) => name);
});

test("every server scenario of the suite applies, or is named with the reason why it does not", () => {
  const named = [...Object.keys(APPLICABLE), ...Object.values(NOT_APPLICABLE).flat()];
  expect(named.toSorted()).toEqual(listed.toSorted());
});

test.each(Object.entries(APPLICABLE))("passes %s", async (scenario, calls) => {
  const url = await serveOverHttp(calls);
  const result = await conformance("server", "--url", url, "--scenario", scenario);
  expect(result.stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  expect(result).not.toHaveProperty("failed");
});

test("a tool that succeeds does not pass as one that fails", async () => {
  const url = await serveOverHttp({ test_error_handling: { name: "balance", arguments: {} } });
  const result = await conformance("server", "--url", url, "--scenario", "tools-call-error");
  expect(result).toHaveProperty("failed", true);
});

test("a client of the second version of the official packages orders, confirms the price, and receives progress and links", async () => {
  const { transport } = await startMcp(its);
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  const questions: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params.message);
    return { action: "accept" };
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "make_song")?.inputSchema).toMatchObject({ required: ["order"] });

  const messages: unknown[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => void messages.push(message);
  const made = await client.callTool({ name: "make_song", arguments: song }, { onprogress });
  expect([made.isError, Object(made.structuredContent).status]).toEqual([undefined, "success"]);
  expect(made.content.filter(({ type }) => type === "resource_link").length).toBeGreaterThan(0);
  expect([questions.length, messages.length > 0]).toEqual([1, true]);
  const refused = await client.callTool({ name: "make_song", arguments: { order: "a", wrong: 1 } });
  expect(refused.isError).toBe(true);
});
