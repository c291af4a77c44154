import type { Clip, ClipMetadata } from "../../src/contract/task.js";
import type { MadeClip, SucceededTask } from "../core/task.js";
import { readBrief } from "../core/task.js";
import { inProcessOrigins, type Origins } from "./origins.js";

/** The clips of a task as the wire has them (Resources: Clip). Their URLs belong to the mount that was asked. */
export function clipsData(task: SucceededTask, clips: readonly MadeClip[], origins: Origins): Clip[] {
  const { storable, alternateUrls } = task.plan.end;
  const provider = `${origins.providers[task.model]}/${task.model}`;
  const audio = storable ? origins.service : provider;
  const alternates = storable ? withoutProviders(alternateUrls, origins) : alternateUrls;
  const music = task.type === "music" ? metadataOf(task) : null;

  return clips.map(({ id, title, durationSeconds }) => ({
    id,
    audio_url: `${audio}/audio/${id}`,
    ...(music !== null && {
      image_url: `${provider}/art/${id}/small`,
      image_large_url: `${provider}/art/${id}/large`,
      title,
      metadata: { duration: durationSeconds, ...music },
    }),
    ...(alternates !== null && { alternate_urls: alternates }),
  }));
}

function metadataOf(task: SucceededTask): ClipMetadata {
  const { tags, lyrics, extras } = readBrief(task);
  return { tags, prompt: lyrics, ...extras };
}

/**
 * Of a clip that the service has a copy of, URLs at a provider's own origin are removed, and the field with the last
 * of them.
 */
function withoutProviders(urls: readonly string[] | null, { providers }: Origins): string[] | null {
  const own = [providers, inProcessOrigins().providers].flatMap((each) => Object.values(each));
  const kept = (urls ?? []).filter((url) => !URL.canParse(url) || !own.includes(new URL(url).origin));
  return kept.length > 0 ? kept : null;
}
