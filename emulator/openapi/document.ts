import { ENDPOINTS, HEADERS, LIMITS } from "../../src/contract/service.js";
import { REQUEST_EXAMPLES, RESPONSE_EXAMPLES } from "./examples.js";
import { requestSchemas } from "./requests.js";
import { COMMON_HEADERS, dataSchemas, errorResponses, errorSchemas, errorsOf } from "./responses.js";
import { reference } from "./schema.js";

/** The version of the interface (Versioning). */
const INTERFACE_VERSION = "1.0.0";

const { shortest, longest } = LIMITS.requestIdLength;
const requestId = { type: "string", minLength: shortest, maxLength: longest };

/**
 * The four endpoints in OpenAPI 3.1. The server is wherever the document was fetched.
 *
 * @param path - of the service address
 */
export function openApiDocument(path = "/") {
  return {
    openapi: "3.1.0",
    info: {
      title: "Asynchronous Music and Audio Generation Service",
      version: INTERFACE_VERSION,
      summary: "Creates music, lyrics, uploads and joined songs as asynchronous tasks.",
      description:
        "Create a task, save its ID, and poll it until its status is final. Credits are frozen when a task is accepted, settled when it succeeds, and refunded when it fails or times out.",
      contact: { name: "The maintainers of async-music" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: path, description: "The host of this document." }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Tasks", description: "Create and read tasks." },
      { name: "Account", description: "Balance and usage." },
    ],
    paths: Object.fromEntries(OPERATIONS.map(describePath)),
    components: components(),
  };
}

function components() {
  return {
    securitySchemes: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: HEADERS.apiKey,
        description: "The API key of an account. Use it only on servers, never in a web page or an app.",
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
        description: "An ID for the request, which the response repeats. An unsafe value is replaced.",
        schema: requestId,
      },
    },
    headers: {
      [HEADERS.requestId]: {
        description: "The ID of the request: the one that was sent, or a new one.",
        required: true,
        schema: requestId,
      },
      [HEADERS.rateLimitRemaining]: {
        description: "The requests left in the key's current window. May be absent if the key is invalid.",
        schema: { type: "integer", minimum: 0 },
      },
      [HEADERS.retryAfter]: {
        description: "Seconds to wait before the next attempt.",
        required: true,
        schema: { type: "integer", minimum: 0 },
      },
    },
    schemas: { ...requestSchemas(), ...dataSchemas(), ...errorSchemas() },
    responses: errorResponses(),
  };
}

const OPERATIONS = [
  {
    endpoint: ENDPOINTS.createTask,
    operationId: "createTask",
    tag: "Tasks",
    summary: "Create a task",
    description:
      "Validates the request, freezes its credits, and responds before the work begins. A request that is sent twice is charged twice. Do not resend it automatically after an unknown outcome.",
    success: "The task was accepted.",
    data: "TaskSubmission",
    errors: [400, 401, 402, 403, 429, 500, 502, "default"],
  },
  {
    endpoint: ENDPOINTS.retrieveTask,
    operationId: "retrieveTask",
    tag: "Tasks",
    summary: "Read a task",
    description:
      "Reads the provider's progress and returns the task. Poll every five to ten seconds, and never more than once a second.",
    success: "The task, in any status.",
    data: "Task",
    errors: [401, 404, 429, 500],
  },
  {
    endpoint: ENDPOINTS.balance,
    operationId: "getBalance",
    tag: "Account",
    summary: "Read the balance",
    description: "The credits of the key's account.",
    success: "The balance.",
    data: "Balance",
    errors: [401, 429, 500],
  },
  {
    endpoint: ENDPOINTS.usage,
    operationId: "getUsage",
    tag: "Account",
    summary: "Read the usage",
    description: "The lifetime totals of the key's account.",
    success: "The usage.",
    data: "Usage",
    errors: [401, 429, 500],
  },
] as const;

function describePath(operation: (typeof OPERATIONS)[number]) {
  const { endpoint, operationId, tag, summary, description, success, data, errors } = operation;
  const isSubmission = endpoint === ENDPOINTS.createTask;
  const schema = {
    type: "object",
    required: ["code", "data"],
    properties: { code: { const: endpoint.status }, data: reference("schemas", data) },
  };
  const requestBody = { schema: reference("schemas", "TaskRequest"), examples: REQUEST_EXAMPLES };
  const described = {
    operationId,
    tags: [tag],
    summary,
    description,
    parameters: [
      ...(endpoint === ENDPOINTS.retrieveTask ? [reference("parameters", "TaskId")] : []),
      reference("parameters", "RequestId"),
    ],
    ...(isSubmission && { requestBody: { required: true, content: { "application/json": requestBody } } }),
    responses: {
      [endpoint.status]: {
        description: success,
        headers: COMMON_HEADERS,
        content: { "application/json": { schema, example: RESPONSE_EXAMPLES[data] } },
      },
      ...errorsOf(errors),
    },
  };
  return [endpoint.path, { [endpoint.method.toLowerCase()]: described }];
}
