import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";

/**
 * The forms in which clients start a server, as their documentation describes them: `servers` and `inputs` of VS Code's MCP
 * configuration reference, and `mcpServers` of Claude Desktop and Cursor. Unknown fields are mistakes in an example.
 */
const process = {
  type: "object",
  properties: {
    type: { const: "stdio" },
    command: { type: "string", minLength: 1 },
    args: { type: "array", items: { type: "string" } },
    env: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["command", "args", "env"],
  additionalProperties: false,
};
const input = {
  type: "object",
  properties: {
    type: { const: "promptString" },
    id: { type: "string" },
    description: { type: "string" },
    password: { type: "boolean" },
  },
  required: ["type", "id", "description"],
  additionalProperties: false,
};
const FORMS = {
  mcpServers: {
    type: "object",
    properties: { mcpServers: { type: "object", additionalProperties: process } },
    required: ["mcpServers"],
    additionalProperties: false,
  },
  servers: {
    type: "object",
    properties: {
      inputs: { type: "array", items: input },
      servers: {
        type: "object",
        additionalProperties: { ...process, required: [...process.required, "type"] },
      },
    },
    required: ["servers"],
    additionalProperties: false,
  },
} as const;

const examples = [...readFileSync("docs/agents.md", "utf8").matchAll(/^```json\n([\s\S]*?)^```/gm)].map(
  ([, json = ""]) => JSON.parse(json),
);

test.each(Object.entries(FORMS))("the guide has a configuration of the form %s", (name, schema) => {
  const found = examples.filter((example) => name in example);
  expect(found).toHaveLength(1);
  const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);
  expect([validate(found[0]), validate.errors]).toEqual([true, null]);
  const { music } = found[0][name];
  expect(music.args).toEqual(expect.arrayContaining(["mcp", "--max-credits", "--journal"]));
  // Every input that is referred to is declared.
  const referred = [...JSON.stringify(music).matchAll(/\$\{input:([^}]+)\}/g)].map(([, id]) => id);
  expect(referred).toEqual((found[0].inputs ?? []).map(({ id }: { id: string }) => id));
});
