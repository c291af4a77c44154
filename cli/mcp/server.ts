import { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { createRedactor, type Redactor } from "../../src/errors/redactor.js";
import type * as sdk from "../../src/index.js";
import { chooseTarget, type SavedFile, saveResult } from "../save.js";
import type { Terminal } from "../terminal.js";
import type { Library } from "./library.js";
import { LONGEST_MESSAGE_BYTES, limitLines } from "./limit-lines.js";
import { NO_PROGRESS, Orders, type Run } from "./orders.js";
import { Refusal } from "./refusal.js";
import { creatingTools, ORDER, type PaidArguments } from "./requests.js";
import {
  BALANCE,
  balanceOf,
  documentOf,
  FILES,
  instructionFor,
  leftOpen,
  messageAbout,
  RESULT,
} from "./results.js";
import { type McpFlags, prepare } from "./setup.js";

/** A call returns after this time, since MCP clients give up after 60 s. Its work continues. */
const LONGEST_CALL_MS = 50_000;

/** At its end, the server waits this long for the responses in flight: as long as an attempt of the client lasts. */
const LONGEST_END_MS = 30_000;

/** Sleeps in real time, by which MCP clients time out. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** The error of a JSON-RPC request that can't be read. */
const INVALID_REQUEST = -32_600;

/** Serves the tools on stdin and stdout until stdin ends or a signal arrives. */
export async function serveMcp(flags: McpFlags, version: string, terminal: Terminal): Promise<void> {
  const { server, end, library } = await createMcpServer(flags, version, terminal);
  const write = (message: string) => {
    // The line break is written apart, so that nothing which is redacted from a message can join two of them.
    terminal.stdout.write(message.trimEnd());
    terminal.stdout.write("\n");
  };
  const refuse = (id: string | number | null) => {
    const message = `The message is longer than ${LONGEST_MESSAGE_BYTES} bytes. It was not read, and nothing was sent or charged.`;
    write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } }));
  };
  const input = Readable.from(limitLines(terminal.stdin(), refuse), { objectMode: false });
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
  await server.connect(new library.StdioServerTransport(input, output));
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

const READS = { readOnlyHint: true, openWorldHint: true };
/** The journal makes a repeated call the same order. */
const CREATES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true };

const ENDED =
  "The server has ended, and sends nothing more. Call again with the same order once it has been restarted.";

/** What the library passes to a tool beside its arguments. */
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * The server with its tools, which is not connected yet. `end` aborts what waits, completes what is in flight, and writes to
 * stderr which orders it left open.
 */
export async function createMcpServer(
  flags: McpFlags,
  version: string,
  terminal: Terminal,
  sleep: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal }),
): Promise<{ server: McpServer; end: () => Promise<void>; library: Library }> {
  const setup = await prepare(flags, terminal);
  const { client, journalPath, maxCredits, out, library } = setup;
  const ending = new AbortController();
  const { signal } = ending;
  const orders = new Orders({ ...setup, signal });
  const redactor = createRedactor(terminal.env["ASYNC_MUSIC_API_KEY"] ?? "");
  const downloads = new Map<string, Download>();
  let balance: Promise<sdk.Balance> | null = null;
  const server = new library.McpServer({ name: "async-music", version }, { instructions: INSTRUCTIONS });

  /** Resolves as `work` does, or with `null` if that takes longer than `ms`. */
  const within = async <Value>(ms: number, work: Promise<Value>): Promise<Value | null> => {
    const returned = new AbortController();
    const tooLong = sleep(ms, returned.signal).then(() => null);
    tooLong.catch(() => {});
    try {
      return await Promise.race([work, tooLong]);
    } finally {
      returned.abort();
    }
  };

  /** The result of a tool: its document, its receipt if that takes too long, or an instruction. */
  const answer = async <Result extends Record<string, unknown>>(
    order: string | null,
    work: () => Promise<Result>,
    receipt: () => Result,
  ) => {
    try {
      const document = redactor.data((await within(LONGEST_CALL_MS, work())) ?? receipt());
      return {
        content: [{ type: "text" as const, text: JSON.stringify(document, null, 2) }],
        structuredContent: document,
      };
    } catch (error) {
      const message = signal.aborted ? ENDED : redactor.text(instructionFor(error, order, journalPath));
      return { content: [{ type: "text" as const, text: message }], isError: true };
    }
  };

  /** The result of an order, once its run has begun. */
  const follow = (order: string, begin: () => Run | Promise<Run>, extra: Extra) => {
    let progress = NO_PROGRESS;
    const reports = new ProgressReports(extra, redactor);
    const work = async () => {
      const run = await begin();
      progress = run.progress;
      reports.start(run);
      return documentOf(order, await run.ended, progress);
    };
    return answer(order, work, () => documentOf(order, null, progress)).finally(() => reports.stop());
  };

  /** Creates the task of an order. The arguments are checked before the price. */
  const place = ({ order, max_credits }: PaidArguments, requestOf: () => sdk.TaskRequest, extra: Extra) =>
    follow(order, async () => orders.start(order, requestOf(), max_credits), extra);

  for (const { name, title, description, inputSchema, requestOf } of creatingTools())
    server.registerTool(
      name,
      { title, description, inputSchema, outputSchema: RESULT, annotations: CREATES },
      async (given: PaidArguments, extra: Extra) => place(given, () => requestOf(given), extra),
    );
  server.registerTool(
    "check_order",
    {
      title: "Check an order",
      description:
        "Waits up to 50 s for the result of an order that was placed before, also by an earlier server with this journal. Costs nothing.",
      inputSchema: z.strictObject(ORDER),
      outputSchema: RESULT,
      annotations: READS,
    },
    async ({ order }, extra) => follow(order, () => orders.resume(order), extra),
  );
  server.registerTool(
    "download_audio",
    {
      title: "Download audio",
      description: `Waits up to 50 s for an order, and saves its audio or lyrics in ${JSON.stringify(out)}. Existing files are kept. Costs nothing.`,
      inputSchema: z.strictObject(ORDER),
      outputSchema: FILES,
      annotations: CREATES,
    },
    async ({ order }, extra) => {
      const reports = new ProgressReports(extra, redactor);
      const work = async () => {
        const download = downloads.get(order) ?? beginDownload(order);
        reports.start(await download.run);
        const next = "The files are saved. Nothing else is needed.";
        return { order, files: await download.files, next };
      };
      const next = "Not ready yet. Call `download_audio` again with the same order.";
      return answer(order, work, () => ({ order, files: [], next })).finally(() => reports.stop());
    },
  );
  server.registerTool(
    "balance",
    {
      title: "Show the balance",
      description: "Returns the credits of the account, and what this server may still spend. Costs nothing.",
      inputSchema: z.strictObject({}),
      outputSchema: BALANCE,
      annotations: READS,
    },
    async () => {
      let left: number | null = null;
      const work = async () => {
        left = await orders.creditsLeft();
        balance ??= client.account.balance({ signal }).finally(() => {
          balance = null;
        });
        return balanceOf(await balance, maxCredits, left);
      };
      return answer(null, work, () => balanceOf(null, maxCredits, left));
    },
  );
  return { server, end, library };

  async function end(): Promise<void> {
    ending.abort(new Refusal(ENDED));
    await within(LONGEST_END_MS, orders.completed());
    const open = await orders.interrupted();
    for (const [order, entry] of open) terminal.stderr.write(`${leftOpen(order, entry, journalPath)}\n`);
  }

  function beginDownload(order: string): Download {
    const run = orders.resume(order);
    const files = (async () => {
      const task = await (await run).ended;
      const target = await chooseTarget(`${out}/`, null, false);
      const saved: SavedFile[] = [];
      await saveResult(client, task, target, signal, ({ file }) => saved.push(file));
      return saved;
    })().finally(() => downloads.delete(order));
    // It may fail while no call waits for it.
    files.catch(() => {});
    const download = { run, files };
    downloads.set(order, download);
    return download;
  }
}

/** A download that has not ended: every call with the order's name waits for it. */
interface Download {
  run: Promise<Run>;
  files: Promise<SavedFile[]>;
}

/** Sends the state of a run to a client that requested its progress, until the call returns. */
class ProgressReports {
  readonly #extra: Extra;
  readonly #redactor: Redactor;
  #hasStopped = false;
  #run: Run | null = null;
  #sent = 0;

  constructor(extra: Extra, redactor: Redactor) {
    this.#extra = extra;
    this.#redactor = redactor;
  }

  start(run: Run): void {
    if (this.#extra._meta?.progressToken === undefined || this.#hasStopped) return;
    this.#run = run;
    run.watchers.add(this.#send);
    this.#send();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#run?.watchers.delete(this.#send);
  }

  readonly #send = () => {
    const { _meta: { progressToken } = {}, sendNotification } = this.#extra;
    if (progressToken === undefined || this.#run === null) return;
    const message = this.#redactor.text(messageAbout(this.#run.progress));
    const params = { progressToken, progress: ++this.#sent, message };
    // A client that has disconnected needs none.
    sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
}
