import { extensionOfBytes, extensionOfType } from "../../src/audio/format.js";
import { isRecord } from "../../src/contract/service.js";
import type { AsyncMusic } from "../../src/index.js";
import { mergedFields, type ObservedFields } from "./fields.js";
import { mediaType } from "./response-fields.js";

/** Downloads the start of every clip of a task. Returns `null` if no clip has an address. */
export async function audioFields(
  client: AsyncMusic,
  task: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ObservedFields | null> {
  const urls = audioUrlsOf(task);
  if (urls.length === 0) return null;
  const all: ObservedFields[] = [];
  for (const url of urls) all.push(await downloadClip(client, url, task["audio_format"] === "mp3", signal));
  return mergedFields(all);
}

async function downloadClip(
  client: AsyncMusic,
  url: string,
  isMp3: boolean,
  signal: AbortSignal,
): Promise<ObservedFields> {
  try {
    const { contentType, body } = await client.audio.download(url, { signal });
    const reader = body.getReader();
    const { value = new Uint8Array() } = await reader.read();
    await reader.cancel();
    const stated = mediaType(contentType);
    return {
      "Content-Type header": typeField(stated, isMp3),
      format: formatField(stated, value),
    };
  } catch (error) {
    signal.throwIfAborted();
    const status: unknown = Object(error).status;
    return { download: typeof status === "number" ? `HTTP ${status}` : Object(error).name };
  }
}

/** Without a conversion, the format of audio is not fixed. If a conversion fails, the source is delivered. */
function typeField(stated: string | null, isMp3: boolean): string {
  if (stated === null) return "missing";
  if (!AUDIO_TYPE.test(stated) || (isMp3 && stated === "audio/mpeg")) return stated;
  return isMp3 ? "the source's" : "an audio format";
}

const AUDIO_TYPE = /^(?:audio\/.+|application\/ogg)$/;

function audioUrlsOf(task: Record<string, unknown>): string[] {
  const { output } = task;
  const result: unknown = isRecord(output) ? output["result"] : null;
  const urls = Array.isArray(result) ? result.map((clip) => Object(clip).audio_url) : [];
  return urls.filter((url) => typeof url === "string" && /^https?:/.test(url) && URL.canParse(url));
}

/** Whether the first bytes of audio are in the format of its media type. */
function formatField(type: string | null, start: Uint8Array): string {
  const stated = extensionOfType(type) ?? "bin";
  const found = extensionOfBytes(start);
  if (found === stated) return "as stated";
  return found === "bin" ? "unknown" : "not as stated";
}
