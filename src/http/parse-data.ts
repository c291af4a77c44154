import type { Call, Context } from "./context.js";
import { invalidResponse } from "./failure.js";
import type { ApiResponse } from "./outcome.js";

export interface Schema<Data> {
  safeParse(
    data: unknown,
  ): { success: true; data: Data } | { success: false; error: { issues: readonly SchemaIssue[] } };
}

interface SchemaIssue {
  path: readonly PropertyKey[];
  message: string;
}

/** The `data` of a success, checked against its schema. @throws InvalidResponseError */
export function parseData<Data>(
  context: Pick<Context, "redactor">,
  call: Call,
  response: Pick<ApiResponse, "json" | "requestId" | "isHtml">,
  schema: Schema<Data>,
  dataPath: readonly string[] = ["data"],
): Data {
  const { data } = response.json;
  const parsed = data === undefined ? null : schema.safeParse(data);
  if (parsed?.success) return parsed.data;
  const issues = parsed?.error.issues.map(({ path, message }) => ({
    path: [...dataPath, ...path.map(String)].join("."),
    message,
  })) ?? [{ path: "", message: "is not JSON of the form { code, data }" }];
  throw invalidResponse({ ...response, context, call }, issues);
}
