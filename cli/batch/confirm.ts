import { Interrupted, type Terminal } from "../terminal.js";

/** Writes a question to stderr, and returns whether the line on stdin says yes. @throws Interrupted at a signal */
export function confirm(question: string, { stdin, stderr, onSignal }: Terminal): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  let stop = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    stop = onSignal((signal) => {
      stderr.write("\n");
      reject(new Interrupted(signal));
    });
  });
  return Promise.race([saysYes(stdin()), interrupted]).finally(() => stop());
}

async function saysYes(stdin: ReturnType<Terminal["stdin"]>): Promise<boolean> {
  let reply = "";
  for await (const chunk of stdin) {
    reply += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    if (reply.includes("\n")) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(reply.split("\n")[0] ?? "");
}
