import { createConfig, lintFromString } from "@redocly/openapi-core";
import openapiTS, { astToString } from "openapi-typescript";

export { default as createClient } from "openapi-fetch";

/** What a public linter finds by its recommended rules. */
export async function lintDescription(source: string): Promise<string[]> {
  const problems = await lintFromString({ source, config: await createConfig({ extends: ["recommended"] }) });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

/** The TypeScript types that a public generator makes from a description. */
export async function generateTypes(source: string): Promise<string> {
  return astToString(await openapiTS(Buffer.from(source)));
}
