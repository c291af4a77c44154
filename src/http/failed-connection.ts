import { DEEPEST, FORBIDDEN_PORT } from "./never-left.js";
import type { Redactor } from "./redactor.js";

/** What a system or a runtime calls the reason of a failure. */
const CODE = /^[A-Z][A-Za-z0-9_]{2,40}$/;

/** Where a request went that no answer came to, as a message names it. */
export function connectionTo(url: string, redactor: Redactor): string {
  return `connection to ${redactor.text(new URL(url).host)}`;
}

/** Why a connection failed, in the system's own short words, in brackets; empty where it has none, or can't be read. */
export function codeOf(cause: unknown, redactor: Redactor): string {
  try {
    return findCode(cause, redactor, 0);
  } catch {
    return "";
  }
}

function findCode(cause: unknown, redactor: Redactor, depth: number): string {
  if (!(cause instanceof Error) || depth > DEEPEST) return "";
  const { code, message } = cause as Error & { code?: unknown };
  if (message === FORBIDDEN_PORT) return ` (${FORBIDDEN_PORT})`;
  if (typeof code === "string" && CODE.test(code)) return ` (${redactor.text(code)})`;
  return findCode(cause.cause, redactor, depth + 1);
}

/** What to do where the address is one that exists in a process alone. */
export function adviceAbout(url: string): string | undefined {
  const isInProcess = new URL(url).hostname.endsWith(".async-music.test");
  return isInProcess
    ? "That is an emulator within a process: give the client all of `emulator.connection()`, with its `fetch`."
    : undefined;
}
