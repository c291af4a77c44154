import { ENDPOINTS } from "../../src/contract/wire.js";
import { ANSWER_EXAMPLES, REQUEST_EXAMPLES } from "./examples.js";
import { commonHeaders, refusalsOf } from "./refusals.js";
import { reference } from "./schema.js";

const REQUEST_ID = reference("parameters", "RequestId");

/** The four operations, by path and method. */
export function paths() {
  return {
    [ENDPOINTS.createTask.path]: { post: createTask() },
    [ENDPOINTS.retrieveTask.path]: { get: retrieveTask() },
    [ENDPOINTS.balance.path]: { get: balance() },
    [ENDPOINTS.usage.path]: { get: usage() },
  };
}

function createTask() {
  const { status } = ENDPOINTS.createTask;
  return {
    operationId: "createTask",
    tags: ["Tasks"],
    summary: "Create a task",
    description:
      "Checks the request, freezes its credits, and answers before the work begins. Sent twice it is paid twice: after an unknown outcome, don't send it again by yourself.",
    parameters: [REQUEST_ID],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: reference("schemas", "TaskRequest"), examples: REQUEST_EXAMPLES },
      },
    },
    responses: {
      ...success(status, "The task is accepted.", "TaskSubmission", ANSWER_EXAMPLES.submission),
      ...refusalsOf([400, 401, 402, 403, 429, 500, 502]),
      default: reference("responses", "AudioFormatRefused"),
    },
  };
}

function retrieveTask() {
  const { status } = ENDPOINTS.retrieveTask;
  return {
    operationId: "retrieveTask",
    tags: ["Tasks"],
    summary: "Read a task",
    description:
      "Asks the provider how far it is, and answers with what it says. Every five to ten seconds is a good pace; more than once a second is too much.",
    parameters: [reference("parameters", "TaskId"), REQUEST_ID],
    responses: {
      ...success(status, "The task, also if it failed.", "Task", ANSWER_EXAMPLES.task),
      ...refusalsOf([401, 404, 429, 500]),
    },
  };
}

function balance() {
  const { status } = ENDPOINTS.balance;
  return {
    operationId: "getBalance",
    tags: ["Account"],
    summary: "Read the balance",
    description: "The credits of the account that the key belongs to.",
    parameters: [REQUEST_ID],
    responses: {
      ...success(status, "The balance.", "Balance", ANSWER_EXAMPLES.balance),
      ...refusalsOf([401, 429, 500]),
    },
  };
}

function usage() {
  const { status } = ENDPOINTS.usage;
  return {
    operationId: "getUsage",
    tags: ["Account"],
    summary: "Read the usage",
    description: "What the account has asked for and paid in all its life.",
    parameters: [REQUEST_ID],
    responses: {
      ...success(status, "The usage.", "Usage", ANSWER_EXAMPLES.usage),
      ...refusalsOf([401, 429, 500]),
    },
  };
}

function success<Example>(status: number, description: string, data: string, example: Example) {
  const schema = {
    type: "object",
    required: ["code", "data"],
    properties: { code: { const: status }, data: reference("schemas", data) },
  };
  return {
    [status]: { description, headers: commonHeaders(), content: { "application/json": { schema, example } } },
  };
}
