import * as z from "zod/mini";
import { issueSchema, list, NAMED } from "../core/checks.js";
import type { AnyMethod } from "./method.js";

const CONTROL_ERRORS = {
  400: "The body or the path is invalid. Nothing has changed. `issues` lists the invalid fields of the body: their paths, and messages that continue a sentence after the field's name.",
  403: "The request comes from a web page of another origin, or has a foreign host name.",
  404: "No object has this ID.",
  409: "The account's billing information is incomplete.",
} as const;

const errorBody = z.object({
  code: z.int(),
  error_code: z.string(),
  message: z.string(),
  issues: z.optional(list(issueSchema)),
});

const ACCOUNT_PARAMETER = {
  name: "account_id",
  in: "query",
  description:
    "Limits the call to this account. If the body has the field, it can be there instead. Default: all accounts.",
  schema: { type: "string" },
};

const COMMON_HEADERS = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

export function controlDocument(methods: readonly AnyMethod[], service: string) {
  const paths: Record<string, Record<string, object>> = {};
  const schemas: Record<string, object> = {};
  schemas["Error"] = responseSchema(errorBody, schemas);
  for (const method of methods) {
    const [verb = "", path = ""] = method.route.split(" ");
    const operation = { [verb.toLowerCase()]: describeMethod(method, schemas) };
    paths[`/_emulator${path}`] = { ...paths[`/_emulator${path}`], ...operation };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Control plane of the async-music emulator",
      version: "1.0.0",
      description: "Controls the emulator of the music service from any language. Requires no API key.",
      contact: { name: "The maintainers of async-music" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: service }],
    security: [],
    tags: [{ name: "control", description: "Calls of the emulator that the service does not have." }],
    paths,
    components: {
      headers: {
        RequestId: {
          description: "The ID that was sent, if it is safe; else a new one.",
          schema: { type: "string" },
        },
      },
      responses: Object.fromEntries(
        Object.entries(CONTROL_ERRORS).map(([status, description]) => [
          status,
          {
            description,
            headers: COMMON_HEADERS,
            content: jsonContent({ $ref: "#/components/schemas/Error" }),
          },
        ]),
      ),
      schemas,
    },
  };
}

function describeMethod(method: AnyMethod, schemas: Record<string, object>): object {
  const { summary, needsBilling = false, scoped = false, isOpen = false } = method;
  const [verb = "", path = ""] = method.route.split(" ");
  const body = "body" in method ? method.body : null;
  const status = "status" in method ? method.status : 200;
  const pathParams = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1 },
  }));
  const params = [...pathParams, ...(scoped ? [ACCOUNT_PARAMETER] : [])];
  const errors = [
    400,
    ...(isOpen ? [] : [403]),
    ...(params.length > 0 ? [404] : []),
    ...(needsBilling ? [409] : []),
  ];
  return {
    operationId: operationIdOf(verb, path),
    summary,
    tags: ["control"],
    ...(params.length > 0 && { parameters: params }),
    ...(body !== null && { requestBody: { content: jsonContent(jsonSchemaOf(body, "input")) } }),
    responses: {
      [status]: { description: summary, headers: COMMON_HEADERS, ...contentOf(method, schemas) },
      ...Object.fromEntries(errors.map((each) => [each, { $ref: `#/components/responses/${each}` }])),
    },
  };
}

/** `POST /accounts/{account_id}/keys` is `post_accounts_keys`. */
function operationIdOf(verb: string, path: string): string {
  const words = path.replaceAll(/\{\w+\}/g, "").split(/[^a-z]+/);
  const suffix = path.includes("{invoice_id}") || /\{\w+\}$/.test(path) ? ["one"] : [];
  return [verb.toLowerCase(), ...words, ...suffix].filter((word) => word !== "").join("_");
}

function contentOf(method: AnyMethod, schemas: Record<string, object>): object {
  if ("response" in method)
    return method.response === null ? {} : { content: jsonContent(responseSchema(method.response, schemas)) };
  const { mediaType } = method;
  return { content: { [mediaType]: { schema: mediaType.startsWith("text/") ? { type: "string" } : {} } } };
}

function jsonContent(schema: object): object {
  return { "application/json": { schema } };
}

/** Refers to the named schemas, and adds them to the document's. */
function responseSchema(response: z.ZodMiniType, schemas: Record<string, object>): object {
  const described = JSON.stringify(jsonSchemaOf(response, "output"));
  const { $defs = {}, ...schema } = JSON.parse(described.replaceAll('"#/$defs/', '"#/components/schemas/'));
  Object.assign(schemas, $defs);
  return schema;
}

/** OpenAPI 3.1 uses the same draft, 2020-12. */
function jsonSchemaOf(schema: z.ZodMiniType, io: "input" | "output"): object {
  const metadata = io === "output" ? { metadata: NAMED } : {};
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", ...metadata });
  return rest;
}
