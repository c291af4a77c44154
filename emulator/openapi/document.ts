import { HEADERS, LIMITS } from "../../src/contract/wire.js";
import { answerSchemas } from "./answers.js";
import { paths } from "./operations.js";
import { errorSchemas, refusalResponses } from "./refusals.js";
import { requestSchemas } from "./requests.js";

/** The version of the interface that is described (Versioning). */
const INTERFACE_VERSION = "1.0.0";

const { shortest, longest } = LIMITS.requestIdLength;

/** The four endpoints in OpenAPI 3.1. The server is wherever the document was fetched. */
export function openApiDocument() {
  return {
    openapi: "3.1.0",
    info: {
      title: "Asynchronous Music and Audio Generation Service",
      version: INTERFACE_VERSION,
      summary: "Music, lyrics, uploads and joined songs, made while you poll.",
      description:
        "Create a task, keep its id, and read it until its status is final. Credits are frozen when a task is accepted, settled when it succeeds and given back when it does not.",
      contact: { name: "The maintainers of async-music" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "Where this document is." }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Tasks", description: "What is made." },
      { name: "Account", description: "What it costs." },
    ],
    paths: paths(),
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: HEADERS.apiKey,
          description: "The key of an account. It belongs on servers, never in a page or an app.",
        },
      },
      parameters: {
        TaskId: {
          name: "taskId",
          in: "path",
          required: true,
          description: "The `task_id` of a task of the account.",
          schema: { type: "string", format: "uuid" },
        },
        RequestId: {
          name: HEADERS.requestId,
          in: "header",
          description: "A name for the request, which the answer repeats. An unsafe one is replaced.",
          schema: { type: "string", minLength: shortest, maxLength: longest },
        },
      },
      headers: {
        [HEADERS.requestId]: {
          description: "The name of the request: the one that it bore, or a new one.",
          required: true,
          schema: { type: "string", minLength: shortest, maxLength: longest },
        },
        [HEADERS.rateLimitRemaining]: {
          description: "The requests that the key has left for now. A refused key is told nothing.",
          schema: { type: "integer", minimum: 0 },
        },
        [HEADERS.retryAfter]: {
          description: "Seconds until the next try.",
          required: true,
          schema: { type: "integer", minimum: 0 },
        },
      },
      schemas: { ...requestSchemas(), ...answerSchemas(), ...errorSchemas() },
      responses: refusalResponses(),
    },
  };
}
