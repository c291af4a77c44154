import { isModel } from "../../../src/contract/models.js";
import { AUDIO_FORMATS } from "../../audio/formats/formats.js";
import type { Copy } from "../../core/delivery/audio-store.js";
import type { World } from "../../core/state/world.js";
import { bytesAnswer, textAnswer } from "../answers.js";
import { parseByteRange } from "../byte-range.js";
import type { Answer } from "../exchange.js";
import { errorAnswer, Refusal } from "../refusal.js";
import type { Visit } from "../visit.js";

/** The service's own copy of a clip, for seven days. */
export function serveAudio(visit: Visit): Promise<Answer> {
  const [clipId = ""] = visit.params;
  return audioAnswer(visit, clipId, "service");
}

/** The provider's own file of a clip. */
export async function serveProviderAudio(visit: Visit): Promise<Answer> {
  const [model = "", clipId = ""] = visit.params;
  refuseOtherModels(visit, model, clipId);
  return audioAnswer(visit, clipId, "provider");
}

/** Cover art, on the provider's own origin and outside the seven days. */
export async function serveArt(visit: Visit): Promise<Answer> {
  const [model = "", clipId = "", size = ""] = visit.params;
  refuseOtherModels(visit, model, clipId);
  return artAnswer(visit.world, clipId, size);
}

/** A clip's picture, whoever serves it. */
export async function artAnswer({ index }: World, clipId: string, size: string): Promise<Answer> {
  const { COVER_SIZES, coverArt } = await import("../../audio/cover/cover-art.js");
  const pixels = { small: COVER_SIZES.image, large: COVER_SIZES.imageLarge }[size];
  const clip = index.clips.get(clipId);
  if (pixels === undefined || clip?.task.type !== "music")
    throw new Refusal("not_found", "There is no such picture");
  const { contentType, body } = coverArt(clipId, pixels);
  return textAnswer(contentType, body);
}

/** What a clip's `audio_url` leads to: the service's copy, or the provider's file where there is none. */
export async function clipAudioAnswer(place: FilePlace, clipId: string): Promise<Answer> {
  const clip = place.world.index.clips.get(clipId);
  const isStored = clip === undefined || clip.task.plan.end.storable;
  return audioAnswer(place, clipId, isStored ? "service" : "provider");
}

/** What a file is looked up with. */
type FilePlace = Pick<Visit, "world" | "exchange" | "now">;

async function audioAnswer({ world, exchange, now }: FilePlace, clipId: string, copy: Copy): Promise<Answer> {
  const file = await world.audio.read(world.index.clips, clipId, copy, now);
  if (file === null) throw new Refusal("not_found", "There is no such audio, or its time is over");
  const { bytes, format } = file;
  const { contentType } = AUDIO_FORMATS[format];

  const etag = await entityTag(bytes);
  const isOfVersion = [null, etag].includes(exchange.headers.get("If-Range"));
  const range =
    exchange.method === "GET" && isOfVersion
      ? parseByteRange(exchange.headers.get("Range"), bytes.byteLength)
      : null;
  if (range === "unsatisfiable") {
    const answer = errorAnswer(416, "range_not_satisfiable", "The audio has no such range");
    answer.headers["Content-Range"] = `bytes */${bytes.byteLength}`;
    return answer;
  }
  const answer =
    range === null
      ? bytesAnswer(200, contentType, bytes)
      : bytesAnswer(206, contentType, bytes.slice(range.first, range.last + 1));
  answer.headers["Accept-Ranges"] = "bytes";
  answer.headers["ETag"] = etag;
  if (range !== null)
    answer.headers["Content-Range"] = `bytes ${range.first}-${range.last}/${bytes.byteLength}`;
  return answer;
}

/** A strong entity tag: the same for the same bytes alone, so that a download may be resumed. */
async function entityTag(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `"${[...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

function refuseOtherModels({ world }: Visit, model: string, clipId: string): void {
  const clip = world.index.clips.get(clipId);
  if (!isModel(model) || clip?.task.model !== model)
    throw new Refusal("not_found", "The provider has no such clip");
}
