import { type HttpResponse, jsonResponse } from "../messages.js";

export async function describeService(): Promise<HttpResponse> {
  const { openApiDocument } = await import("../../openapi/document.js");
  return jsonResponse(200, openApiDocument());
}
