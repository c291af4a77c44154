import type { ErrorCode } from "../contract/service.js";
import type { Known } from "../contract/task.js";
import { printableLine, withoutCredentials } from "../contract/text.js";

/** What every error of this package can be given. */
export interface ErrorDetails {
  cause?: unknown;
  /** The task that the error is about, where there is one. */
  taskId?: string | undefined;
}

/**
 * The base of every error that this package throws. Outside the family are only an abort, which rejects with the
 * signal's own reason, and what a caller's own callback throws while nothing is at stake.
 */
export class AsyncMusicError extends Error {
  override name = "AsyncMusicError";

  /** The task that the error is about: always there once a task is submitted, and enough to go on waiting for it. */
  readonly taskId: string | null;

  constructor(message: string, { cause, taskId }: ErrorDetails = {}) {
    // Messages quote the service, and addresses: what a terminal would obey, and passwords, must not be in them.
    super(withoutCredentials(printableLine(message)), cause === undefined ? undefined : { cause });
    this.taskId = taskId ?? null;
  }

  /** The error as a log line holds it: name, message and properties, without the stack and the cause. */
  toJSON(): Record<string, unknown> {
    return { ...Object.fromEntries(Object.entries(this)), name: this.name, message: this.message };
  }
}

/** An option is missing or out of range: the message names the option, the rule and what came. */
export class InvalidOptionError extends AsyncMusicError {
  override name = "InvalidOptionError";

  /** The option, by the name under which it is given. */
  readonly option: string;

  constructor(option: string, rule: string, got?: string) {
    super(`Expected \`${option}\` to ${rule}${got === undefined ? "" : `, got \`${got}\``}.`);
    this.option = option;
  }
}

/** What came, as a message may show it: of a text only its length, since it may be the API key in a wrong place. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `a text of length ${value.length}`;
  if (Array.isArray(value)) return `[${value.slice(0, 3).map(shown).join(", ")}]`;
  return value === null || ["number", "boolean", "undefined"].includes(typeof value)
    ? String(value)
    : typeof value;
}

/** A request that the service would refuse was refused here: nothing was sent and nothing was charged. */
export class InvalidRequestError extends AsyncMusicError {
  override name = "InvalidRequestError";

  /** The code with which the service would refuse it. */
  readonly errorCode: Known<ErrorCode>;

  /** Each rule that the request breaks: `path` is for example `input.prompt`. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(errorCode: string, issues: readonly { path: string; message: string }[]) {
    const reasons = issues.map(({ path, message }) => `\`${path === "" ? "request" : path}\` ${message}`);
    super(`Failed to send the request: ${errorCode}: ${reasons.join("; ")}. Nothing was sent.`);
    this.errorCode = errorCode;
    this.issues = issues;
  }
}

/** A request of `runAll` was refused before anything was sent: with it, the batch could cost more than `maxCredits`. */
export class CreditCeilingError extends AsyncMusicError {
  override name = "CreditCeilingError";

  /** What the request costs. */
  readonly credits: number;

  /** What the batch has spent or frozen so far; refunds are not in it. */
  readonly spentCredits: number;

  /** The batch's own ceiling. */
  readonly maxCredits: number;

  constructor(details: { credits: number; spentCredits: number; maxCredits: number }) {
    const { credits, spentCredits, maxCredits } = details;
    super(
      `Failed to create a task: it costs ${credits} credits, more than the ${maxCredits - spentCredits} left ` +
        `of the batch's ${maxCredits}. Nothing was sent.`,
    );
    this.credits = credits;
    this.spentCredits = spentCredits;
    this.maxCredits = maxCredits;
  }
}
