import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { formText, mcpServersForm, registryForm, vsCodeForm } from "../../tools/documents/mcp-forms.js";

// The forms in which clients start a server, as their documentation describes them. Unknown fields are mistakes.

const strict = <Properties extends object>(
  properties: Properties,
  optional: readonly (keyof Properties)[] = [],
) => ({
  type: "object",
  properties,
  required: (Object.keys(properties) as (keyof Properties)[]).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const text = { type: "string", minLength: 1 };

const command = {
  command: text,
  args: { type: "array", items: { type: "string" } },
  env: { type: "object", additionalProperties: { type: "string" } },
};

/** `claude_desktop_config.json` of Claude Desktop and `mcp.json` of Cursor. */
const MCP_SERVERS = strict({ mcpServers: { type: "object", additionalProperties: strict(command) } });

/** `mcp.json` of VS Code, from its MCP configuration reference. */
const VS_CODE = strict({
  inputs: {
    type: "array",
    items: strict({
      type: { const: "promptString" },
      id: text,
      description: text,
      password: { type: "boolean" },
    }),
  },
  servers: {
    type: "object",
    additionalProperties: strict({ type: { const: "stdio" }, ...command }),
  },
});

/** A value that the user of a client provides, or one that is fixed. */
const INPUT = {
  value: { type: "string" },
  description: { type: "string" },
  format: { enum: ["string", "number", "boolean", "filepath"] },
  isRequired: { type: "boolean" },
  isSecret: { type: "boolean" },
  placeholder: { type: "string" },
} as const;
const OPTIONAL = Object.keys(INPUT) as (keyof typeof INPUT)[];
const argument = {
  oneOf: [
    strict({ ...INPUT, type: { const: "positional" }, value: text }, OPTIONAL.slice(1)),
    strict({ ...INPUT, type: { const: "named" }, name: text }, OPTIONAL),
  ],
};
const version = { type: "string", pattern: String.raw`^\d+\.\d+\.\d+(?:-[\w.]+)?$`, maxLength: 255 };

/** The parts of `server.json` that a package on npm can have, from the schema of 2025-12-11 and the rules of the registry. */
const SERVER_JSON = strict({
  $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
  name: { type: "string", pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", minLength: 3, maxLength: 200 },
  title: { ...text, maxLength: 100 },
  description: { ...text, maxLength: 100 },
  version,
  packages: {
    type: "array",
    items: strict({
      registryType: { const: "npm" },
      identifier: text,
      version,
      runtimeHint: text,
      runtimeArguments: { type: "array", items: argument },
      packageArguments: { type: "array", items: argument },
      environmentVariables: { type: "array", items: strict({ ...INPUT, name: text }, OPTIONAL) },
      transport: strict({ type: { const: "stdio" } }),
    }),
  },
});

const ours = JSON.parse(readFileSync("package.json", "utf8"));

test.each([
  ["Claude Desktop and Cursor", mcpServersForm(ours), MCP_SERVERS],
  ["VS Code", vsCodeForm(ours), VS_CODE],
  ["the MCP registry", registryForm(ours), SERVER_JSON],
] as const)("the form of %s fits its schema, which refuses unknown fields", (_, form, schema) => {
  const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  expect([validate(form), validate.errors]).toEqual([true, null]);
  expect(validate({ ...form, unknown: 1 })).toBe(false);
});

test("every input that the form of VS Code refers to is declared", () => {
  const { inputs, servers } = vsCodeForm(ours);
  const referred = [...JSON.stringify(servers).matchAll(/\$\{input:([^}]+)\}/g)].map(([, id]) => id);
  expect(referred).toEqual(inputs.map(({ id }) => id));
  expect(referred).toHaveLength(1);
});

/** `npm run docs:write` renews the page and the file. */
test("the guide has the forms of the clients", async () => {
  const page = readFileSync("docs/agents.md", "utf8");
  const forms = [mcpServersForm(ours), vsCodeForm(ours)].map(formText);
  const written = page.replaceAll(/(?<=^```json\n)[\s\S]*?(?=\n```$)/gm, () => forms.shift() ?? "");
  expect(forms).toEqual([]);
  await expect(written).toMatchFileSnapshot("../../docs/agents.md");
});

test("server.json is the form of the MCP registry", async () => {
  await expect(`${formText(registryForm(ours))}\n`).toMatchFileSnapshot("../../server.json");
});
