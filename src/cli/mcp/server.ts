import { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { inputVariant } from "../../contract/request-rules.js";
import * as sdk from "../../index.js";
import { INPUT_OPTIONS } from "../flags.js";
import { chooseTarget, type SavedFile, saveResult } from "../save.js";
import type { Terminal } from "../terminal.js";
import { Orders, Refusal, type Run, type Sleep } from "./orders.js";
import { BALANCE, documentOf, FILES, instructionFor, messageAbout, RESULT } from "./results.js";
import { type McpFlags, prepare } from "./setup.js";

/** Serves the tools on stdin and stdout until stdin ends or a signal arrives. */
export async function serveMcp(flags: McpFlags, version: string, terminal: Terminal): Promise<void> {
  const { server, orders } = await createMcpServer(flags, version, terminal);
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const input = Readable.from(terminal.stdin(), { objectMode: false });
  const output = new Writable({
    write(chunk, _, written) {
      // The line break is written apart, so that nothing which is redacted from a message can join two of them.
      terminal.stdout.write(String(chunk).trimEnd());
      terminal.stdout.write("\n");
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
  await orders.close();
}

const INSTRUCTIONS =
  "These tools create songs and lyrics for credits of 0.01 USD, in 30 seconds to 5 minutes. An order names one paid result. " +
  "Choose a new order for each result that the user wants, such as `birthday-song-1`. Repeating a call with its order is " +
  "safe: it continues with the same result and is charged once. After an error, an interruption or a receipt, keep the " +
  "order and do what `next` or the error says.";

const ONE_LINE = z.string().check(z.minLength(1));
const text = (description: string) => z.optional(z.string().check(z.describe(description)));

const ORDER = {
  order: ONE_LINE.check(
    z.describe(
      "Your name for this result. Repeat the call with the same order to continue with it; it is charged once.",
    ),
  ),
};

const PAID = {
  ...ORDER,
  max_credits: z.optional(
    z
      .number()
      .check(z.describe("The most that this call may cost, in credits. Default: what the server may spend.")),
  ),
};

const AUDIO_FORMAT = z.optional(
  z.literal("mp3").check(z.describe("Request MP3. Default: the format of the provider.")),
);

const SONG_FIELDS = {
  gpt_description_prompt: text(
    "provider_a: a description of the song, such as `a slow fado about rain`. The lyrics are written for it. Replaces `prompt`, `tags` and `title`.",
  ),
  prompt: text("provider_a: the lyrics to sing. provider_b: style and mood, which it requires."),
  tags: text("Styles, separated by commas. provider_a: needed with or instead of `prompt`."),
  negative_tags: text("provider_a: styles to avoid, separated by commas."),
  title: text("provider_a: the title, unless there is a `gpt_description_prompt`."),
  make_instrumental: z.optional(z.boolean().check(z.describe("provider_a: no singing."))),
  lyrics: text("provider_b: the lyrics to sing."),
  lyrics_type: z.optional(
    z.enum(["generate", "user", "instrumental"]).check(z.describe("provider_b: the source of the lyrics.")),
  ),
  seed: z.optional(z.int().check(z.describe("provider_b: seed of the generation."))),
};

const CONTINUATION_FIELDS = {
  continue_clip_id: ONE_LINE.check(z.describe("The `id` of the clip to continue.")),
  continue_at: z.optional(
    z.number().check(z.describe("Where the continuation begins in the clip, in seconds. Default: its end.")),
  ),
  prompt: text("The lyrics of the continuation."),
  title: text("The title."),
};

const READS = { readOnlyHint: true, openWorldHint: true };
/** The journal makes a repeated call the same order. */
const CREATES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true };

/** What the library passes to a tool beside its arguments. */
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The server with its tools, which is not connected yet, and its orders. */
export async function createMcpServer(
  flags: McpFlags,
  version: string,
  terminal: Terminal,
  sleep: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal }),
): Promise<{ server: McpServer; orders: Orders }> {
  const { client, journal, journalPath, maxCredits, out, library } = await prepare(flags, terminal);
  const orders = new Orders({ client, journal, maxCredits, sleep });
  const downloads = new Map<string, Download>();
  const server = new library.McpServer({ name: "async-music", version }, { instructions: INSTRUCTIONS });

  /** The result of a tool: its document, or an instruction. */
  const answer = async (order: string | null, work: () => Promise<Record<string, unknown>>) => {
    try {
      const document = await work();
      return {
        content: [{ type: "text" as const, text: JSON.stringify(document, null, 2) }],
        structuredContent: document,
      };
    } catch (error) {
      const message = instructionFor(error, order, journalPath);
      return { content: [{ type: "text" as const, text: message }], isError: true };
    }
  };

  const continueRun = async (order: string, run: Run, extra: Extra) => {
    const stop = reportProgress(run, extra);
    try {
      return documentOf(order, await orders.withinOneCall(run.ended), run.progress);
    } finally {
      stop();
    }
  };

  const place = (
    { order, max_credits: callCeiling }: z.infer<z.ZodMiniObject<typeof PAID>>,
    model: sdk.Model,
    task_type: sdk.TaskType,
    { audio_format, ...fields }: { audio_format?: "mp3" | undefined; [field: string]: unknown },
    extra: Extra,
  ) =>
    answer(order, async () => {
      // Models fill fields that they don't use with empty strings.
      const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
      const input = Object.fromEntries(given);
      refuseIgnoredFields(model, task_type, input);
      const request = { model, task_type, ...(audio_format !== undefined && { audio_format }), input };
      const run = orders.start(order, request as unknown as sdk.TaskRequest, callCeiling);
      return continueRun(order, run, extra);
    });

  server.registerTool(
    "make_song",
    {
      title: "Make a song",
      description:
        "Creates a song, for 10 credits (provider_a) or 5 credits (provider_b). Pass `gpt_description_prompt`; or your own lyrics as `prompt` with `tags`; or `model: provider_b` with `prompt`. Returns the clips, or after 50 s a receipt: then call `check_order`.",
      inputSchema: z.strictObject({
        ...PAID,
        model: z.optional(z.enum(sdk.MODELS).check(z.describe("Default: provider_a."))),
        ...SONG_FIELDS,
        audio_format: AUDIO_FORMAT,
      }),
      outputSchema: RESULT,
      annotations: CREATES,
    },
    async ({ order, max_credits, model = "provider_a", ...fields }, extra) =>
      place({ order, max_credits }, model, "music", fields, extra),
  );
  server.registerTool(
    "write_lyrics",
    {
      title: "Write lyrics",
      description:
        "Writes lyrics, for 5 credits. Returns them, or after 50 s a receipt: then call `check_order`.",
      inputSchema: z.strictObject({
        ...PAID,
        prompt: ONE_LINE.check(z.describe("What the lyrics are about.")),
      }),
      outputSchema: RESULT,
      annotations: CREATES,
    },
    async ({ prompt, ...paid }, extra) => place(paid, "provider_a", "lyrics", { prompt }, extra),
  );
  server.registerTool(
    "continue_song",
    {
      title: "Continue a song",
      description:
        "Creates a continuation of a clip of provider_a, for 10 credits. Returns the clips, or after 50 s a receipt: then call `check_order`.",
      inputSchema: z.strictObject({ ...PAID, ...CONTINUATION_FIELDS, audio_format: AUDIO_FORMAT }),
      outputSchema: RESULT,
      annotations: CREATES,
    },
    async ({ order, max_credits, ...fields }, extra) =>
      place({ order, max_credits }, "provider_a", "music", fields, extra),
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
    async ({ order }, extra) =>
      answer(order, async () => continueRun(order, await orders.resume(order), extra)),
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
    async ({ order }, extra) =>
      answer(order, async () => {
        const download = downloads.get(order) ?? beginDownload(order);
        const stop = reportProgress(await download.run, extra);
        const files = await orders.withinOneCall(download.files).finally(stop);
        const next =
          files === null
            ? "Not ready yet. Call `download_audio` again with the same order."
            : "The files are saved. Nothing else is needed.";
        return { order, files: files ?? [], next };
      }),
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
    async () =>
      answer(null, async () => {
        const { available, frozen, total } = await client.account.balance();
        const max_credits_left = Math.max(0, orders.creditsLeft);
        return { available, frozen, total, max_credits: maxCredits, max_credits_left };
      }),
  );
  return { server, orders };

  function beginDownload(order: string): Download {
    const run = orders.resume(order);
    const files = (async () => {
      const task = await (await run).ended;
      const target = await chooseTarget(`${out}/`, null, false);
      const saved: SavedFile[] = [];
      await saveResult(client, task, target, new AbortController().signal, ({ file }) => saved.push(file));
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

/** Sends the state of a run to a client that requested its progress, until the returned function is called. */
function reportProgress(run: Run, { _meta, sendNotification }: Extra): () => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const send = () => {
    progress++;
    const params = { progressToken, progress, message: messageAbout(run.progress) };
    // A client that has disconnected needs none.
    sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
  run.watchers.add(send);
  send();
  return () => run.watchers.delete(send);
}

/** The service would ignore these fields, and charge for another song than the model describes. */
function refuseIgnoredFields(
  model: sdk.Model,
  taskType: sdk.TaskType,
  input: Readonly<Record<string, unknown>>,
): void {
  const variant = inputVariant(model, taskType, input);
  const known = { ...SONG_FIELDS, ...CONTINUATION_FIELDS };
  const fields = INPUT_OPTIONS.map(([option, usedBy]) => ({
    name: option.name().replaceAll("-", "_"),
    isUsed: usedBy.includes(variant),
  })).filter(({ name }) => Object.hasOwn(known, name));
  const ignored = fields.filter(({ name, isUsed }) => !isUsed && Object.hasOwn(input, name));
  if (ignored.length === 0) return;
  const list = (names: typeof fields) => names.map(({ name }) => `\`${name}\``).join(", ");
  throw new Refusal(
    `${list(ignored)} would be ignored here. Nothing was sent or charged. Remove it, or use only ${list(fields.filter(({ isUsed }) => isUsed))}. Then call again with the same order.`,
  );
}
