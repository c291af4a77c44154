import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod/mini";
import { audioUrlOf } from "../../src/audio/audio.js";
import { printableLine } from "../../src/contract/text.js";
import * as sdk from "../../src/index.js";
import { isFreed } from "../../src/journal/entries.js";
import { type SettleFlags, settleCommand } from "../report.js";
import { clipsOf, labelOf } from "../save.js";
import type { Progress } from "./orders.js";

/** The document of an order. */
export const RESULT = z.object({
  order: z.string(),
  status: z
    .string()
    .check(
      z.describe(
        "`confirming`: the user has not replied to the question about the price. `submitting`, `pending` or `running`: call `check_order`. `success`: the result is here.",
      ),
    ),
  task_id: z.nullable(z.string()),
  credits: z.nullable(z.number()).check(z.describe("What the order costs, charged once.")),
  progress: z.nullable(z.string()),
  clips: z.array(
    z.object({
      id: z.string(),
      title: z.nullable(z.string()),
      duration_seconds: z.nullable(z.number()),
      audio_url: z.string(),
    }),
  ),
  lyrics: z.nullable(z.object({ title: z.string(), text: z.string() })),
  next: z.string().check(z.describe("What to do next.")),
});

/** The document of several orders. */
export const BATCH = z.object({
  orders: z.array(
    z.extend(RESULT, {
      error: z.nullable(z.string()).check(z.describe("Why the order has failed, and what to do.")),
    }),
  ),
  failed: z.number().check(z.describe("How many orders have failed. The others are complete, or continue.")),
  next: z.string().check(z.describe("What to do next.")),
});

/** An order of a batch: a result, a receipt, or an error. */
export type BatchedOrder = z.infer<typeof BATCH>["orders"][number];

/** The document of a batch, with what is known of each order. */
export function batchOf(orders: BatchedOrder[]): z.infer<typeof BATCH> {
  const failed = orders.filter(({ error }) => error !== null).length;
  const isOpen = orders.some(({ error, status }) => error === null && status !== "success");
  const next = isOpen
    ? "Call `check_order` with each order that is not ready, or repeat the call. Do not create other orders for them."
    : failed > 0
      ? "Do what the `error` of each failed order says. The other orders are complete."
      : "All orders are complete.";
  return { orders, failed, next };
}

/** The document of a download. */
export const FILES = z.object({
  order: z.string(),
  files: z.array(z.object({ path: z.string(), content_type: z.string(), clip_id: z.nullable(z.string()) })),
  next: z.string().check(z.describe("What to do next.")),
});

const CREDITS_SCHEMA = z.nullable(z.number());

export const BALANCE = z.object({
  available: CREDITS_SCHEMA.check(z.describe("Credits that new orders can spend; `null` if not known yet.")),
  frozen: CREDITS_SCHEMA.check(z.describe("Credits held for unfinished tasks.")),
  total: CREDITS_SCHEMA,
  max_credits: z.number().check(z.describe("What all orders of this server and its journal may cost.")),
  max_credits_left: CREDITS_SCHEMA.check(z.describe("What is left of that.")),
  next: z.string().check(z.describe("What to do next.")),
});

/** The state of an order for people who wait for it, such as `running, 45%`. */
export function messageAbout(progress: Progress): string {
  const percentage = percentageOf(progress.task);
  return percentage === null
    ? progressStatus(progress)
    : `${progressStatus(progress)}, ${printableLine(percentage)}`;
}

/** The SDK does not validate the provider's progress. */
function percentageOf(task: sdk.Task | null): string | null {
  const progress: unknown = task?.output?.progress;
  return typeof progress === "string" ? progress : null;
}

function progressStatus({ submission, task, isConfirming }: Progress): string {
  return task?.status ?? submission?.status ?? (isConfirming ? "confirming" : "submitting");
}

/** The document of an order: its result, or with `null` a receipt. */
export function documentOf(
  order: string,
  ended: sdk.SucceededTask | null,
  progress: Progress,
): z.infer<typeof RESULT> {
  const { submission, task: latest, isUnrecorded, isConfirming } = progress;
  // The last poll may have shown the result before the run has ended.
  const result = ended ?? (latest?.status === "success" ? latest : null);
  const task = result ?? latest;
  const taskId = task?.task_id ?? submission?.task_id ?? null;
  const lyrics = result !== null && sdk.isLyrics(result) ? result.output.result : null;
  const expires = result === null ? null : sdk.expiresAt(result);
  const warning = isUnrecorded
    ? `The journal could not record task ${taskId}. Report this to the user, and don't repeat the order. `
    : "";
  const reason = isConfirming ? "The user has not confirmed the price yet." : "Not ready yet.";
  const receipt = `${reason} Call \`check_order\` with order ${JSON.stringify(order)} to continue. Do not create another order for it.`;
  const until = expires === null ? "" : ` before ${expires.toISOString()}`;
  const done =
    lyrics === null
      ? `To save the audio, call \`download_audio\` with the same order${until}.`
      : "The lyrics are complete.";
  return {
    order,
    status: progressStatus({ ...progress, task }),
    task_id: taskId,
    credits: task?.credits_cost ?? submission?.credits_charged ?? null,
    progress: percentageOf(task),
    clips: ((result && clipsOf(result)) ?? []).map((clip) => {
      const { title = null, seconds = null } = labelOf(clip);
      return { id: clip.id, title, duration_seconds: seconds, audio_url: clip.audio_url };
    }),
    lyrics: lyrics && { title: lyrics.title, text: lyrics.text },
    next: `${warning}${result === null ? receipt : done}`,
  };
}

/** The audio of a document and its saved files, as links to resources that a client can show. */
export function linksIn(document: Readonly<Record<string, unknown>>) {
  const { clips = [], files, orders = [] } = z.safeParse(LINKED, document).data ?? {};
  const audio = [...clips, ...orders.flatMap((order) => order.clips)].flatMap(audioLink);
  const saved = (files ?? []).map(({ path, content_type: mimeType }) => ({
    ...{ type: "resource_link" as const, uri: pathToFileURL(path).href, name: basename(path), mimeType },
  }));
  return [...audio, ...saved];
}

/** The link to the audio of a clip; none unless it can be downloaded: a `file://` link is for what was saved. */
function audioLink({ id, title, audio_url: url }: z.infer<typeof RESULT>["clips"][number]) {
  try {
    return [{ type: "resource_link" as const, uri: audioUrlOf(url), name: printableLine(title ?? id) }];
  } catch {
    return [];
  }
}

const LINKED = z.object({
  clips: z.optional(RESULT.shape.clips),
  files: z.optional(FILES.shape.files),
  orders: z.optional(z.array(z.object({ clips: RESULT.shape.clips }))),
});

/** The document of the balance; `null` for what is not known yet. */
export function balanceOf(
  balance: sdk.Balance | null,
  maxCredits: number,
  maxCreditsLeft: number | null,
): z.infer<typeof BALANCE> {
  const next =
    balance === null
      ? "The service has not responded yet, possibly because of its rate limit. The request continues. Call `balance` again."
      : "Nothing else is needed.";
  return {
    available: balance?.available ?? null,
    frozen: balance?.frozen ?? null,
    total: balance?.total ?? null,
    max_credits: maxCredits,
    max_credits_left: maxCreditsLeft,
    next,
  };
}

/** The line for people about an order that had not ended when the server ended. */
export function leftOpen(
  order: string,
  entry: sdk.JournalEntry | null | undefined,
  flags: SettleFlags,
): string {
  return printableLine(`async-music: order ${JSON.stringify(order)}: ${openState(order, entry, flags)}`);
}

function openState(order: string, entry: sdk.JournalEntry | null | undefined, flags: SettleFlags): string {
  if (entry === undefined)
    return "its entry in the journal can't be read. Repair the journal, then check the order.";
  if (entry === null || isFreed(entry)) return "nothing was sent or charged.";
  if (entry.state === "submitted")
    return entry.status === undefined
      ? `task ${entry.task_id} continues. A later server with this journal continues with it.`
      : `task ${entry.task_id} has ended: ${entry.status}.`;
  const [found, notCreated] = settleCommands(order, flags);
  return `it is unknown whether a task was created and charged. Wait 2 minutes, then find out by request ID ${entry.request_id}, and run \`${found}\` or \`${notCreated}\`.`;
}

/** The user's shell may lack the command, since MCP clients start the server with `npx` or by its path. */
const COMMAND = "npx async-music";

/** The two commands that record whether the task of an order was created. */
export function settleCommands(order: string, flags: SettleFlags): [created: string, notCreated: string] {
  const settle = (outcome: string) => settleCommand(COMMAND, order, flags, outcome);
  return [settle("--task-id TASK_ID"), settle("--not-created")];
}
