import { createEmulator } from "../../emulator/index.js";

export async function fetchDocument(): Promise<OpenApiDocument> {
  await using emulator = createEmulator();
  const response = await emulator.fetch(`${emulator.url}/openapi.json`);
  return await response.json();
}

/** The parts of a document that the tests use. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, ResponseDescription>; headers: Record<string, HeaderDescription> };
  [field: string]: unknown;
}

export interface Operation {
  operationId: string;
  requestBody?: { content: { "application/json": { examples: Record<string, { value: unknown }> } } };
  responses: Record<string, ResponseDescription>;
}

export interface ResponseDescription {
  $ref?: string;
  headers?: Record<string, { $ref: string }>;
  content?: { "application/json": { example?: unknown } };
}

export interface HeaderDescription {
  required?: boolean;
  schema: { type: string };
}
