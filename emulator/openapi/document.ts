import { ENDPOINTS, HEADERS, LIMITS } from "../../src/contract/service.js";
import { REQUEST_EXAMPLES, RESPONSE_EXAMPLES } from "./examples.js";
import { requestSchemas } from "./requests.js";
import {
  commonHeaders,
  dataSchemas,
  type ErrorStatus,
  errorResponses,
  errorSchemas,
  errorsOf,
} from "./responses.js";
import { reference } from "./schema.js";

/** The version of the interface (Versioning). */
const INTERFACE_VERSION = "1.0.0";

const { shortest, longest } = LIMITS.requestIdLength;
const requestId = { type: "string", minLength: shortest, maxLength: longest };

/** The four endpoints in OpenAPI 3.1. The server is wherever the document was fetched. */
export function openApiDocument() {
  return {
    openapi: "3.1.0",
    info: {
      title: "Asynchronous Music and Audio Generation Service",
      version: INTERFACE_VERSION,
      summary: "Creates music, lyrics, uploads and joined songs as asynchronous tasks.",
      description:
        "Create a task, save its id, and poll it until its status is final. Credits are frozen when a task is accepted, settled when it succeeds, and refunded when it does not.",
      contact: { name: "The maintainers of async-music" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The host of this document." }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Tasks", description: "Create and read tasks." },
      { name: "Account", description: "Balance and usage." },
    ],
    paths: {
      [ENDPOINTS.createTask.path]: { post: createTask() },
      [ENDPOINTS.retrieveTask.path]: { get: retrieveTask() },
      [ENDPOINTS.balance.path]: { get: balance() },
      [ENDPOINTS.usage.path]: { get: usage() },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: HEADERS.apiKey,
          description: "The API key of an account. Keep it on servers, never in a page or an app.",
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
          description: "An id for the request, which the response repeats. An unsafe one is replaced.",
          schema: requestId,
        },
      },
      headers: {
        [HEADERS.requestId]: {
          description: "The request's id: its own, or a new one.",
          required: true,
          schema: requestId,
        },
        [HEADERS.rateLimitRemaining]: {
          description: "The requests left to the key. Absent if the key is invalid.",
          schema: { type: "integer", minimum: 0 },
        },
        [HEADERS.retryAfter]: {
          description: "Seconds until the next attempt.",
          required: true,
          schema: { type: "integer", minimum: 0 },
        },
      },
      schemas: { ...requestSchemas(), ...dataSchemas(), ...errorSchemas() },
      responses: errorResponses(),
    },
  };
}

function createTask() {
  const { responses, ...operation } = operationOf({
    id: "createTask",
    tag: "Tasks",
    summary: "Create a task",
    description:
      "Validates the request, freezes its credits, and responds before the work begins. A request that is sent twice is charged twice: do not resend it automatically after an unknown outcome.",
    status: ENDPOINTS.createTask.status,
    success: "The task was accepted.",
    data: "TaskSubmission",
    example: RESPONSE_EXAMPLES.submission,
    errors: [400, 401, 402, 403, 429, 500, 502],
  });
  const body = { schema: reference("schemas", "TaskRequest"), examples: REQUEST_EXAMPLES };
  return {
    ...operation,
    requestBody: { required: true, content: { "application/json": body } },
    responses: { ...responses, default: reference("responses", "AudioFormatRefused") },
  };
}

function retrieveTask() {
  const operation = operationOf({
    id: "retrieveTask",
    tag: "Tasks",
    summary: "Read a task",
    description:
      "Asks the provider for its progress and returns the task. Poll every five to ten seconds, and never more than once a second.",
    status: ENDPOINTS.retrieveTask.status,
    success: "The task, in any status.",
    data: "Task",
    example: RESPONSE_EXAMPLES.task,
    errors: [401, 404, 429, 500],
  });
  return { ...operation, parameters: [reference("parameters", "TaskId"), ...operation.parameters] };
}

function balance() {
  return operationOf({
    id: "getBalance",
    tag: "Account",
    summary: "Read the balance",
    description: "The credits of the key's account.",
    status: ENDPOINTS.balance.status,
    success: "The balance.",
    data: "Balance",
    example: RESPONSE_EXAMPLES.balance,
    errors: [401, 429, 500],
  });
}

function usage() {
  return operationOf({
    id: "getUsage",
    tag: "Account",
    summary: "Read the usage",
    description: "What the key's account has used since it exists.",
    status: ENDPOINTS.usage.status,
    success: "The usage.",
    data: "Usage",
    example: RESPONSE_EXAMPLES.usage,
    errors: [401, 429, 500],
  });
}

interface Operation {
  readonly id: string;
  readonly tag: "Tasks" | "Account";
  readonly summary: string;
  readonly description: string;
  readonly status: number;
  /** Describes the successful response. */
  readonly success: string;
  /** The schema of its `data`. */
  readonly data: string;
  readonly example: object;
  readonly errors: readonly ErrorStatus[];
}

function operationOf({ id, tag, summary, description, status, success, data, example, errors }: Operation) {
  const schema = {
    type: "object",
    required: ["code", "data"],
    properties: { code: { const: status }, data: reference("schemas", data) },
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: [reference("parameters", "RequestId")],
    responses: {
      [status]: {
        description: success,
        headers: commonHeaders(),
        content: { "application/json": { schema, example } },
      },
      ...errorsOf(errors),
    },
  };
}
