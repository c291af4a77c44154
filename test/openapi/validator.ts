import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import type { OpenApiDocument, Operation, ResponseDescription } from "./support.js";

export interface Validator {
  /** Why the document does not allow a request body; empty if it does. */
  requestProblems(body: unknown): string[];
  /** Why the document does not allow a response; empty if it does, or if it has no such operation. */
  answerProblems(method: string, path: string, answer: Answer): string[];
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

const DOCUMENT = "document";

export function createValidator(document: OpenApiDocument): Validator {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true, formats: fullFormats });
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<string, ValidateFunction>();
  const problems = (pointer: readonly string[], value: unknown) => {
    const ref = `${DOCUMENT}#/${pointer.map(escapePointer).join("/")}`;
    const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref });
    compiled.set(ref, validate);
    return validate(value)
      ? []
      : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
  };

  return {
    requestProblems: (body) => problems(["components", "schemas", "TaskRequest"], body),
    answerProblems(method, path, { status, headers, body }) {
      const found = findOperation(document, method, path);
      if (found === null) return [];
      const { operation, pointer } = found;
      const key = operation.responses[status] === undefined ? "default" : String(status);
      const response = resolveResponse(document, operation.responses[key], [...pointer, "responses", key]);
      if (response === null) return [`${method} ${path} has no answer ${status}`];
      return [
        ...headerProblems(document, response.description, headers, problems),
        ...problems([...response.pointer, "content", "application/json", "schema"], body),
      ].map((problem) => `${method} ${path} ${status}: ${problem}`);
    },
  };
}

function findOperation(document: OpenApiDocument, method: string, path: string) {
  for (const [template, operations] of Object.entries(document.paths)) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`);
    const operation: Operation | undefined = operations[method.toLowerCase()];
    if (operation !== undefined && pattern.test(path)) {
      return { operation, pointer: ["paths", template, method.toLowerCase()] };
    }
  }
  return null;
}

/** The response, with its reference to another part of the document resolved. */
function resolveResponse(
  { components }: OpenApiDocument,
  response: ResponseDescription | undefined,
  pointer: readonly string[],
) {
  if (response === undefined) return null;
  const name = response.$ref?.split("/").at(-1);
  if (name === undefined) return { description: response, pointer };
  const description = components.responses[name];
  return description === undefined ? null : { description, pointer: ["components", "responses", name] };
}

function headerProblems(
  { components }: OpenApiDocument,
  response: ResponseDescription,
  headers: Headers,
  problems: (pointer: readonly string[], value: unknown) => string[],
): string[] {
  return Object.keys(response.headers ?? {}).flatMap((name) => {
    const description = components.headers[name];
    const value = headers.get(name);
    if (value === null) return description?.required === true ? [`${name} is missing`] : [];
    const typed = description?.schema.type === "integer" ? Number(value) : value;
    return problems(["components", "headers", name, "schema"], typed).map((problem) => `${name}${problem}`);
  });
}

function escapePointer(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}
