import { isModel } from "../../../src/contract/service.js";
import { AUDIO_FORMATS } from "../../audio/formats.js";
import { audioStore, type Site } from "../../core/audio-store.js";
import type { Core } from "../../core/core.js";
import { createResponse, errorResponse, type HttpResponse } from "../messages.js";
import { Refusal } from "../refusal.js";
import type { RequestContext } from "../request-context.js";

type FileContext = Pick<RequestContext, "core" | "request" | "now">;

export function readAudio(context: RequestContext): Promise<HttpResponse> {
  const [clipId = ""] = context.params;
  return audioResponse(context, clipId, "service");
}

export async function readProviderAudio(context: RequestContext): Promise<HttpResponse> {
  const [model = "", clipId = ""] = context.params;
  requireClipOf(context.core, model, clipId);
  return audioResponse(context, clipId, "provider");
}

export async function readArt({ core, params }: RequestContext): Promise<HttpResponse> {
  const [model = "", clipId = "", size = ""] = params;
  requireClipOf(core, model, clipId);
  return artResponse(core, clipId, size);
}

function requireClipOf({ index }: Core, model: string, clipId: string): void {
  if (!isModel(model) || index.clips.get(clipId)?.task.model !== model)
    throw new Refusal("not_found", "The provider has no such clip.");
}

export async function artResponse({ index }: Core, clipId: string, size: string): Promise<HttpResponse> {
  const { COVER_SIZES, coverArt } = await import("../../audio/cover-art.js");
  const pixels = { small: COVER_SIZES.image, large: COVER_SIZES.imageLarge }[size];
  if (pixels === undefined || index.clips.get(clipId)?.task.type !== "music")
    throw new Refusal("not_found", "The cover art does not exist.");
  const { contentType, body } = coverArt(clipId, pixels);
  return createResponse(200, contentType, body);
}

/** The file at a clip's `audio_url`: the service's copy, or the provider's file if the clip is not storable. */
export async function clipAudioResponse(context: FileContext, clipId: string): Promise<HttpResponse> {
  const clip = context.core.index.clips.get(clipId);
  const isStored = clip === undefined || clip.task.plan.end.storable;
  return audioResponse(context, clipId, isStored ? "service" : "provider");
}

async function audioResponse(context: FileContext, clipId: string, site: Site): Promise<HttpResponse> {
  const { core, request, now } = context;
  const file = await audioStore.read(core.index.clips, clipId, site, now);
  if (file === null) throw new Refusal("not_found", "The audio does not exist or has expired.");
  const { bytes, format } = file;
  const etag = await entityTag(bytes);
  const isCurrent = [null, etag].includes(request.headers.get("If-Range"));
  const rangeHeader = request.method === "GET" && isCurrent ? request.headers.get("Range") : null;
  const range = parseRange(rangeHeader, bytes.byteLength);
  if (range === "unsatisfiable") {
    const response = errorResponse(
      416,
      "range_not_satisfiable",
      "The requested range is outside the audio file.",
    );
    response.headers["Content-Range"] = `bytes */${bytes.byteLength}`;
    return response;
  }
  const body = range === null ? bytes : bytes.subarray(range.first, range.last + 1);
  const response = createResponse(range === null ? 200 : 206, AUDIO_FORMATS[format].contentType, body);
  response.headers["Accept-Ranges"] = "bytes";
  response.headers["ETag"] = etag;
  if (range !== null)
    response.headers["Content-Range"] = `bytes ${range.first}-${range.last}/${bytes.byteLength}`;
  return response;
}

/**
 * The range that a `Range` header requests (RFC 9110, 14.2). `null` if the header is to be ignored: it is missing,
 * malformed, in another unit, or requests several ranges.
 */
function parseRange(header: string | null, length: number) {
  const [, from = "", to = ""] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? "") ?? [];
  if (from === "" && to === "") return null;
  if (from === "") {
    const suffix = Number(to);
    if (suffix === 0 || length === 0) return "unsatisfiable";
    return { first: Math.max(length - suffix, 0), last: length - 1 };
  }
  const first = Number(from);
  if (to !== "" && Number(to) < first) return null;
  if (first >= length) return "unsatisfiable";
  return { first, last: to === "" ? length - 1 : Math.min(Number(to), length - 1) };
}

/** A strong entity tag: only the same bytes have the same tag, so that a download can be resumed. */
async function entityTag(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `"${[...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}
