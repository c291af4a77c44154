import type { Terminal } from "../terminal.js";

/** Writes a question to stderr, and returns whether the line on stdin says yes. */
export async function confirm(question: string, { stdin, stderr }: Terminal): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  let reply = "";
  for await (const chunk of stdin()) {
    reply += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    if (reply.includes("\n")) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(reply.split("\n")[0] ?? "");
}
