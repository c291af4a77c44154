import { jsonAnswer } from "../answers.js";
import type { Answer } from "../exchange.js";

/** The description of the four endpoints, made when somebody asks for it. */
export async function openApiPage(): Promise<Answer> {
  const { openApiDocument } = await import("../../openapi/document.js");
  return jsonAnswer(200, openApiDocument());
}
