import { createResponse, type HttpResponse, jsonResponse } from "../messages.js";
import type { RequestContext } from "../request-context.js";

export async function welcome({ request }: RequestContext): Promise<HttpResponse> {
  const text = `This is the async-music emulator: a copy of the music service for tests, which charges nothing.\n\nSet ASYNC_MUSIC_BASE_URL=${request.origins.service} and use any client of the service.\n`;
  return createResponse(200, "text/plain; charset=utf-8", text);
}

export async function describeService({ request }: RequestContext): Promise<HttpResponse> {
  const { openApiDocument } = await import("../../openapi/document.js");
  return jsonResponse(200, openApiDocument(new URL(request.origins.service).pathname));
}
