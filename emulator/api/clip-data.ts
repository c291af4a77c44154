import type { Model } from "../../src/contract/model.js";
import type { Clip } from "../../src/contract/task.js";
import { IN_PROCESS_ORIGINS } from "../mounts/origins.js";
import type { StoredClip } from "../tasks/stored-clip.js";
import type { Origins } from "./exchange.js";

/** A clip as the wire has it (Resources: Clip). Its URLs belong to the mount that it was asked by. */
export function clipData(clip: StoredClip, model: Model, origins: Origins): Clip {
  const provider = `${origins.providers[model]}/${model}`;
  const audioUrl = clip.stored ? `${origins.service}/audio/${clip.id}` : `${provider}/audio/${clip.id}`;
  const alternates = alternateUrls(clip, origins);
  return {
    id: clip.id,
    audio_url: audioUrl,
    ...(clip.details === null ? {} : musicFields(clip.id, clip.details, provider)),
    ...(alternates === null ? {} : { alternate_urls: alternates }),
  };
}

function musicFields(
  id: string,
  { title, durationSeconds, tags, prompt, extras }: Details,
  provider: string,
) {
  return {
    image_url: `${provider}/art/${id}/small`,
    image_large_url: `${provider}/art/${id}/large`,
    title,
    metadata: { duration: durationSeconds, tags, prompt, ...extras },
  };
}

type Details = NonNullable<StoredClip["details"]>;

/**
 * Where the service has a copy, URLs at a provider's own origin are removed, and the field with the last of them; else
 * it passes through as it is.
 */
function alternateUrls({ stored, alternateUrls: urls }: StoredClip, origins: Origins): string[] | null {
  if (urls === null || !stored) return urls;
  const kept = urls.filter((url) => !isAtProvider(url, origins));
  return kept.length > 0 ? kept : null;
}

function isAtProvider(url: string, { providers }: Origins): boolean {
  if (!URL.canParse(url)) return false;
  const { origin } = new URL(url);
  return [providers, IN_PROCESS_ORIGINS.providers].some((each) => Object.values(each).includes(origin));
}
