import { messageOf, sentence } from "../../src/contract/message.js";
import { printableLine } from "../../src/contract/text.js";
import { isError } from "../../src/contract/thrown.js";
import * as sdk from "../../src/index.js";
import { type ErrorRow, isOneOf, valueFor } from "../exit-status.js";
import { type SettleFlags, shellParts } from "../report.js";
import { ToolRefusal } from "./refusal.js";
import { settleCommands } from "./results.js";

const NOT_TWICE = "Do not repeat it with another order: that can be charged twice.";
const FAILS_AGAIN = "If it fails again, report this to the user.";
const SAME_ORDER = `Call again with the same order. ${NOT_TWICE} ${FAILS_AGAIN}`;
const LATER = `Call again later with the same order. ${FAILS_AGAIN}`;
const TO_FIX =
  "Report this to the user: it has to be fixed on the server's machine. After that, call again with the same order.";

/** What a model has to do after an error; the first row that matches decides. */
const NEXT_STEPS: readonly ErrorRow<string>[] = [
  ["Fix the arguments, and call again with the same order.", sdk.InvalidRequestError, sdk.BadRequestError],
  [
    "Report this to the user. Another call fails as well.",
    sdk.AuthenticationError,
    sdk.AccountSuspendedError,
  ],
  [
    "The user has to top up the account. After that, call again with the same order.",
    sdk.InsufficientCreditsError,
  ],
  [
    `Call again with the same order. ${NOT_TWICE} If it fails again, report this to the user: the journal may belong to another account.`,
    sdk.TaskNotFoundError,
  ],
  ["Report this to the user: the audio can't be downloaded any more.", sdk.AudioExpiredError],
  [
    `Call again with the same order. Files that are already saved are kept. ${FAILS_AGAIN}`,
    sdk.AudioDownloadError,
  ],
  [`Call \`check_order\` with the same order to continue. ${NOT_TWICE}`, sdk.WaitTimeoutError],
];

/** System errors that a repeated call does not change, such as a full disk. */
const LOCAL_CODES = /^E(?:ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|ISDIR|NOENT|NAMETOOLONG)$/;

/**
 * An error as an instruction for the model.
 *
 * @param order - `null` for a tool without an order
 * @param flags - their journal is an absolute path
 */
export function instructionFor(error: unknown, order: string | null, flags: SettleFlags): string {
  if (error instanceof ToolRefusal) return error.message;
  if (!isError(error)) return `${sentence(String(error))} ${TO_FIX}`;
  const name = JSON.stringify(order);
  if (error instanceof sdk.JournalConflictError)
    return `Order ${name} belongs to another request. Nothing was sent or charged. For the result of that order, call \`check_order\`. For a further result that the user wants, choose a new order, which is charged. Do not change the request to repeat an order.`;
  const taskId = error instanceof sdk.AsyncMusicError ? error.taskId : null;
  const { advice: own, ...parts } = shellParts(error, taskId);
  // What to do about the journal follows: it is on the server's machine.
  const kept = error instanceof sdk.JournalError ? parts : { ...parts, advice: own };
  if (error instanceof sdk.InvalidOptionError && error.option === "journalKey")
    return `${messageOf(kept, () => "`order`")} Nothing was sent or charged. Choose another order, and call again.`;
  const message = printableLine(messageOf(kept));
  const advice = valueFor(error, NEXT_STEPS);
  if (order === null) return `${message} ${advice ?? `Call again later. ${FAILS_AGAIN}`}`;
  if (error instanceof sdk.TaskFailedError) {
    if (error.retryable === false)
      return `${message} Order ${name} stays failed. Report this to the user, or choose a new order for a changed request, which is charged.`;
    return `${message} Order ${name} stays failed. If the user still wants it, choose a new order, which is charged.`;
  }
  if (error instanceof sdk.SubmissionOutcomeUnknownError && taskId === null) {
    const { checkAgainAt, requestId } = error;
    const first =
      checkAgainAt === null
        ? "Report"
        : `Call \`check_order\` with the same order at ${checkAgainAt.toISOString()} or later. Before that time, the user can settle the order only with the ID of its task. If the outcome is still unknown then, report`;
    return [
      `${message} ${NOT_TWICE} A call with the same order sends nothing.`,
      `${first} this to the user, and let them find out whether the task exists. The operator of the service may find ` +
        `it by request ID ${requestId}. While it is unfinished, \`balance\` shows its credits as frozen.`,
      "Then the user runs one of these in a shell with the server's ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY:",
      ...settleCommands(order, flags),
      "After that, call again with the same order.",
    ].join("\n");
  }
  const isAboutAudio = isOneOf(error, [sdk.AudioExpiredError, sdk.AudioDownloadError]);
  const isFree = error instanceof sdk.AsyncMusicError && taskId === null && !isAboutAudio;
  const next = isLocal(error) ? TO_FIX : (advice ?? (isFree ? LATER : SAME_ORDER));
  return `${message}${isFree ? " This call was not charged." : ""} ${next}`;
}

/** Whether a path or a disk of this machine has to be fixed. */
function isLocal(error: Error): boolean {
  if (error instanceof sdk.JournalError || !(error instanceof sdk.AsyncMusicError)) return true;
  return error instanceof sdk.AudioDownloadError && LOCAL_CODES.test(Object(error.cause).code);
}
