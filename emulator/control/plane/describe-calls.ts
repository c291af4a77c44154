import * as z from "zod/mini";
import type { Call } from "./call.js";
import { NAMED_ANSWERS } from "./named-answers.js";

const ERRORS = {
  400: "The body or the path is not what the call takes. Nothing has changed.",
  403: "The request comes from a page of another origin, or under a foreign name.",
  404: "There is nothing with this id.",
  409: "The account's billing information is incomplete.",
} as const;

const errorBody = z.object({ code: z.int(), error_code: z.string(), message: z.string() });

/** What every answer carries. */
const HEADERS = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

/** The OpenAPI 3.1 description of the control plane, from the same table that answers. */
export function describeCalls(calls: readonly Call[], service: string): object {
  const paths: Record<string, Record<string, object>> = {};
  const schemas: Record<string, object> = { Error: withoutDialect(z.toJSONSchema(errorBody)) };
  for (const each of calls) {
    const path = `/_emulator${each.path}`;
    paths[path] = { ...paths[path], [each.method.toLowerCase()]: describeCall(each, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Control plane of the async-music emulator",
      version: "1.0.0",
      description: "Drives the emulator of the music service: from any language, without a key.",
      contact: { name: "The maintainers of async-music" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: service }],
    security: [],
    tags: [{ name: "control", description: "Calls that only the emulator has." }],
    paths,
    components: {
      headers: {
        RequestId: { description: "The caller's own, where it is safe.", schema: { type: "string" } },
      },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, each]) => [status, errorResponse(each)]),
      ),
      schemas,
    },
  };
}

function describeCall(
  { method, path, summary, status, answers, body, errors = [] }: Call,
  schemas: Record<string, object>,
): object {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    operationId: operationIdOf(method, path),
    summary,
    tags: ["control"],
    ...(params.length > 0 && { parameters: params.map(pathParameter) }),
    ...(body !== null && {
      requestBody: {
        content: jsonContent(withoutDialect(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }))),
      },
    }),
    responses: {
      [status]: { description: summary, headers: HEADERS, ...contentOf(answers, schemas) },
      ...Object.fromEntries(
        ([400, 403, ...errors] as const).map((each) => [each, { $ref: `#/components/responses/${each}` }]),
      ),
    },
  };
}

/** `POST /accounts/{account_id}/keys` is `post_accounts_keys`. */
function operationIdOf(method: string, path: string): string {
  const words = path.replaceAll(/\{\w+\}/g, "").split(/[^a-z]+/);
  const named = path.includes("{invoice_id}") || /\{\w+\}$/.test(path) ? ["one"] : [];
  return [method.toLowerCase(), ...words, ...named].filter((word) => word !== "").join("_");
}

function pathParameter(name: string): object {
  return { name, in: "path", required: true, schema: { type: "string", minLength: 1 } };
}

function contentOf(answers: Call["answers"], schemas: Record<string, object>): object {
  if (answers === null) return {};
  if (typeof answers !== "string") return { content: jsonContent(answerSchema(answers, schemas)) };
  const schema = answers.startsWith("text/") ? { type: "string" } : {};
  return { content: { [answers]: { schema } } };
}

function errorResponse(description: string): object {
  const schema = { $ref: "#/components/schemas/Error" };
  return { description, headers: HEADERS, content: jsonContent(schema) };
}

function jsonContent(schema: object): object {
  return { "application/json": { schema } };
}

/** The schema of an answer. What it has in common with others goes among the named ones, and it refers to them. */
function answerSchema(answers: z.ZodMiniType, schemas: Record<string, object>): object {
  const described = z.toJSONSchema(answers, {
    io: "output",
    unrepresentable: "any",
    metadata: NAMED_ANSWERS,
  });
  const { $defs = {}, ...schema } = JSON.parse(
    JSON.stringify(withoutDialect(described)).replaceAll('"#/$defs/', '"#/components/schemas/'),
  );
  Object.assign(schemas, $defs);
  return schema;
}

/** Draft 2020-12, which OpenAPI 3.1 takes as it is. */
function withoutDialect({ $schema: _, ...schema }: { $schema?: unknown }): object {
  return schema;
}
