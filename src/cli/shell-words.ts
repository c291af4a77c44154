import { InvalidOptionError } from "../index.js";
import { notFoundAdvice, resumeAdvice } from "../tasks/calls.js";

/** What gives an option of the SDK's in a shell. */
const NAMES: Readonly<Record<string, string>> = {
  apiKey: "ASYNC_MUSIC_API_KEY",
  baseUrl: "ASYNC_MUSIC_BASE_URL, or --base-url,",
  maxWaitMs: "--max-wait",
  path: "--journal",
  journalKey: "--key",
  taskId: "--task-id",
};

/** What the SDK says of an error, without what helps in a program only. How to go on, `adviceFor` says. */
export function shellWords(error: Error, taskId: string | null): string {
  const { message } = error;
  if (error instanceof InvalidOptionError) {
    return message.replace(`\`${error.option}\``, NAMES[error.option] ?? "$&");
  }
  if (taskId === null) return message;
  return message
    .replace(
      "Choose another path, or pass `unique: true` or `overwrite: true`.",
      "Choose another --out, or add --force.",
    )
    .replace(` ${resumeAdvice(taskId)}`, "")
    .replace(
      notFoundAdvice(taskId),
      "Check that this is a task's id and not a clip's, and that the key is of the account that submitted it.",
    );
}
