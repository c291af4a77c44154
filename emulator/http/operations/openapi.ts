import { type HttpResponse, jsonResponse } from "../messages.js";
import type { RequestContext } from "../request-context.js";

export async function describeService({ request }: RequestContext): Promise<HttpResponse> {
  const { openApiDocument } = await import("../../openapi/document.js");
  return jsonResponse(200, openApiDocument(new URL(request.origins.service).pathname));
}
