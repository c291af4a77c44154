import {
  type Advice,
  cleanParts,
  type MessageParts,
  type MessageText,
  messageOf,
  sentences,
  textOf,
} from "../contract/message.js";
import type { ErrorCode } from "../contract/service.js";
import type { Known } from "../contract/task.js";
import { brand } from "./brand.js";

/** What every error of this package accepts. */
export interface ErrorDetails {
  cause?: unknown;
  /** The task that the error is about, if any. */
  taskId?: string | undefined;
}

/**
 * The base of every error of the client and of the SDK's functions. An error that a callback throws becomes the `cause`. Exceptions:
 * an abort rejects with `signal.reason`; a custom pacer, clock or iterable of requests rejects with the error it throws; and a function
 * such as `taskEvents` throws a `TypeError` for a value of the wrong type. The emulator throws other errors, such as `RangeError`.
 */
export class AsyncMusicError extends Error {
  static {
    brand(this, "AsyncMusicError");
  }

  /**
   * The task that the error is about. It is set once a task is submitted. To continue, run the same journal key again, or without a
   * journal pass it to `wait`.
   */
  readonly taskId: string | null;

  /**
   * The parts of the message: what happened, why, and what to do. Show them in your own way, instead of searching the message.
   * An error that was made from a string has only `what`. The property is not enumerable.
   */
  declare readonly parts: MessageParts;

  /** The details of a subclass become properties of the same names. The message is a string, or is made from its parts. */
  constructor(message: string | MessageParts, { cause, taskId, ...properties }: ErrorDetails = {}) {
    const { requestId }: Pick<MessageParts, "requestId"> = properties;
    const isText = typeof message === "string";
    const parts = cleanParts(isText ? { what: message } : { ...message, requestId });
    super(isText ? textOf(parts.what) : messageOf(parts), cause === undefined ? undefined : { cause });
    Object.defineProperty(this, "parts", { value: parts });
    this.taskId = taskId ?? null;
    Object.assign(this, properties);
  }

  /** The fields for a log line: name, message and properties, without the stack and the cause. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, ...Object.fromEntries(Object.entries(this)), message: this.message };
  }
}

/**
 * An option is missing, unknown or has a wrong value. The message names the option and its rule. It shows a number or `true`, but of most
 * strings only the length, since a string may be the API key.
 */
export class InvalidOptionError extends AsyncMusicError {
  static {
    brand(this, "InvalidOptionError");
  }

  /** The name of the option. */
  readonly option: string;

  constructor(option: string, message: string | MessageParts, details?: ErrorDetails) {
    super(message, details);
    this.option = option;
  }
}

/** The error for an option with a wrong value: "`option` must be …; got …." */
export function wrongValue(option: string, rule: string, got?: string): InvalidOptionError {
  return invalidOption(option, [{ name: option }, ` must ${rule}${got === undefined ? "" : `; got ${got}`}`]);
}

export function invalidOption(option: string, what: MessageText, advice?: string): InvalidOptionError {
  return new InvalidOptionError(option, { what, advice: advice === undefined ? [] : [advice] });
}

/** The parts of an error. Of foreign code, and of an older version of this package, the whole message is `what`. */
export function partsOf(error: Error): MessageParts {
  const parts: MessageParts | undefined = error instanceof AsyncMusicError ? error.parts : undefined;
  return parts ?? { what: String(error.message) };
}

export const NOTHING_SENT = "Nothing was sent.";

/** The parts of an error about code that is loaded at its first use, and could not be loaded. */
export function notLoaded(what: string): MessageParts {
  return {
    what,
    why: "a part of this package could not be loaded",
    facts: [NOTHING_SENT],
    advice: ["Check that all files of the application are available, then try again."],
  };
}

/**
 * The advice of every error about a task that exists, or that may exist if there is no ID. Only a run with the journal key closes
 * the key, and settles what the task has reserved.
 */
export function resumeAdvice(journalKey: string | undefined, taskId?: string): Advice {
  const compare = "Compare account.usage().tasks_created before you send it again.";
  const wait = taskId === undefined ? compare : `Resume with client.tasks.wait(${JSON.stringify(taskId)}).`;
  return {
    codeAdvice: [journalKey === undefined ? wait : `Run journal key ${JSON.stringify(journalKey)} again.`],
  };
}

/** A value for a message: of a string only its length, since it may be the API key. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `a string of length ${value.length}`;
  if (Array.isArray(value)) return `[${value.slice(0, 3).map(shown).join(", ")}]`;
  return value === null || ["number", "boolean", "undefined"].includes(typeof value)
    ? String(value)
    : typeof value;
}

/** The SDK refused a request that the service would refuse. Nothing was sent, and nothing was charged. */
export class InvalidRequestError extends AsyncMusicError {
  static {
    brand(this, "InvalidRequestError");
  }

  /** The error code that the service would return. */
  readonly errorCode: Known<ErrorCode>;

  /** Each rule that the request breaks: `path` is for example `input.prompt`. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(errorCode: Known<ErrorCode>, issues: readonly { path: string; message: string }[]) {
    const reasons = issues.map(({ path, message }) => `\`${path === "" ? "request" : path}\` ${message}`);
    super({
      what: `Invalid request (${errorCode})`,
      why: reasons.length === 0 ? undefined : sentences(reasons),
      facts: [NOTHING_SENT],
    });
    this.errorCode = errorCode;
    this.issues = issues;
  }
}

/**
 * A request was refused before anything was sent: with it, a batch could cost more than the `maxCredits` of `runAll`, or a
 * customer more than the `maxCredits` of its budget.
 */
export class CreditCeilingError extends AsyncMusicError {
  static {
    brand(this, "CreditCeilingError");
  }

  /** The customer whose budget is exhausted; `null` for the `maxCredits` of `runAll`. */
  declare readonly tenant: string | null;

  /** The price of the request, in credits. */
  declare readonly credits: number;

  /** The credits that are charged, of a budget: in its current period. */
  declare readonly spent: number;

  /** The credits of tasks that have not ended, or whose outcome is unknown. */
  declare readonly reserved: number;

  /** `spent` and `reserved` together. */
  declare readonly spentCredits: number;

  /** The `maxCredits` of the batch or of the budget. */
  declare readonly maxCredits: number;

  constructor({ tenant = null, credits, spentCredits, reserved = 0, maxCredits }: CreditCeilingDetails) {
    const left = Math.max(0, maxCredits - spentCredits);
    const owner = tenant === null ? "the batch" : `tenant ${JSON.stringify(tenant)}`;
    const spent = spentCredits - reserved;
    const details = { tenant, credits, spent, reserved, spentCredits, maxCredits };
    super(
      {
        what: "Failed to create a task",
        why: `it costs ${credits} credits, and ${left} of the ${maxCredits} of ${owner} are left`,
        facts: [`${spent} are spent and ${reserved} reserved.`, NOTHING_SENT],
        codeAdvice: ["Raise `maxCredits`, or try again when more credits are left."],
      },
      details as ErrorDetails,
    );
  }
}

/** What a `CreditCeilingError` is made from. `spentCredits` includes what is reserved. */
export interface CreditCeilingDetails {
  tenant?: string | null;
  credits: number;
  spentCredits: number;
  reserved?: number;
  maxCredits: number;
}

/** The database of a budget failed, or its code could not be loaded; what was thrown is the `cause`. Nothing was sent. */
export class BudgetError extends AsyncMusicError {
  static {
    brand(this, "BudgetError");
  }

  /** The customer whose budget was read or changed. */
  declare readonly tenant: string;

  constructor(message: string | MessageParts, details: ErrorDetails & { tenant: string }) {
    super(message, details);
  }
}
