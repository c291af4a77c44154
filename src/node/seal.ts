import { createHash } from "node:crypto";
import { AsyncMusicError } from "../errors/base.js";

/** A text under its checksum, so that damage shows. */
export function seal(content: string): string {
  return `${checksumOf(content)}\n${content}\n`;
}

/** @throws AsyncMusicError that names the file, when it is not as it was written. */
export function unseal(text: string, file: string): string {
  const content = text.slice(text.indexOf("\n") + 1, -1);
  if (text === seal(content)) return content;
  const message = `Failed to read ${file}: it is damaged. Restore it, or remove it once you know what became of its task.`;
  throw new AsyncMusicError(message);
}

export function checksumOf(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
