import { Command } from "commander";
import { expect, test } from "vitest";
import * as z from "zod";
import { inputOptionsOf } from "../../cli/input-options.js";
import { creatingTools } from "../../cli/mcp/requests.js";
import { requestFromFlags } from "../../cli/request.js";
import { describedBy, fieldsOf, numberControl } from "../../emulator/dashboard/views/tasks/task-input.js";
import { requestSchemas } from "../../emulator/openapi/requests.js";
import { DESCRIBED_INPUTS, type DescribedInput } from "../../src/contract/input-texts.js";
import { findRequestViolation, warningsAbout } from "../../src/contract/request-rules.js";
import type { TaskType } from "../../src/contract/service.js";
import { requestTables } from "../../tools/documents/request-table.js";
import { seedFileJsonSchema } from "../../tools/documents/seed-file-schema.js";

const REMIX = "remix" as TaskType;

/** A task type that the service does not have, as it would be added to the table. */
const INVENTED: DescribedInput = {
  kind: "remix",
  model: "provider_a",
  task_type: REMIX,
  credits: 7,
  fields: {
    source_clip_id: { type: "string", isRequired: true, clipOf: ["music"] },
    remix_strength: { type: "number", maximum: 1 },
    remix_bars: { type: "integer", minimum: 2, maximum: 16 },
  },
  texts: {
    result: "a remix of a clip",
    tool: "make_remix",
    fields: {
      source_clip_id: { label: "Source clip", description: "The clip to remix.", example: "clip-9" },
      remix_strength: { label: "Strength", description: "How far the remix departs.", example: 0.5 },
      remix_bars: { label: "Bars", description: "How many bars it repeats.", example: 8 },
    },
  },
};
const INPUTS = [...DESCRIBED_INPUTS, INVENTED];

const remix = (input: object) => ({ model: "provider_a", task_type: "remix", input });
const issuesOf = (body: unknown) => findRequestViolation(body, undefined, INPUTS)?.issues ?? [];

test("both halves accept its requests, and refuse what its rules forbid", () => {
  expect(issuesOf(remix({ source_clip_id: "clip", remix_strength: 1, remix_bars: 2 }))).toEqual([]);
  expect(issuesOf(remix({ source_clip_id: "clip", remix_strength: -1, remix_bars: 16 }))).toEqual([]);
  const bars = { path: "input.remix_bars", message: "must be a whole number of 2 or more, 16 or less" };
  expect(issuesOf(remix({ source_clip_id: " ", remix_strength: 1.5, remix_bars: 1 }))).toEqual([
    { path: "input.source_clip_id", message: "must not be blank" },
    { path: "input.remix_strength", message: "must be a number, 1 or less" },
    bars,
  ]);
  expect(issuesOf(remix({ source_clip_id: "clip", remix_bars: 17 }))).toEqual([bars]);
  expect(findRequestViolation(remix({ source_clip_id: "clip" }))?.errorCode).toBe("unsupported_task_type");
});

test("a misspelled field is named", () => {
  expect(issuesOf(remix({ source_clipid: "clip" }))[0]?.message).toContain("did you mean `source_clip_id`?");
  const misspelled = remix({ source_clip_id: "clip", remix_strenght: 1 });
  expect(warningsAbout(misspelled, INPUTS)).toEqual([expect.stringContaining("`remix_strength`")]);
});

test("the music of the other model must not have its fields", () => {
  const request = { model: "provider_b", task_type: "music", input: { prompt: "calm", remix_strength: 1 } };
  expect(issuesOf(request)).toEqual([
    { path: "input.remix_strength", message: "is a field of provider_a: remove it" },
  ]);
});

test("the OpenAPI document and the JSON Schema of seed files describe it", () => {
  const schemas = requestSchemas(INPUTS);
  expect(schemas["TaskRequest"]).toMatchObject({
    oneOf: expect.arrayContaining([{ $ref: "#/components/schemas/RemixRequest" }]),
  });
  const input = {
    required: ["source_clip_id"],
    properties: {
      source_clip_id: {
        type: "string",
        pattern: "\\S",
        description: "The clip to remix. From an earlier music task of the account.",
      },
      remix_strength: { type: "number", maximum: 1, description: "How far the remix departs." },
      remix_bars: { type: "integer", minimum: 2, maximum: 16, description: "How many bars it repeats." },
    },
  };
  const request = { description: "A remix of a clip. 7 credits.", properties: { input } };
  expect(schemas["RemixRequest"]).toMatchObject(request);
  expect(seedFileJsonSchema(INPUTS).$defs?.["RemixRequest"]).toMatchObject(request);
});

test("`run` has its flags, and refuses those of other requests", async () => {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  for (const { option } of inputOptionsOf(INPUTS)) command.addOption(option);
  expect(command.helpInformation()).toMatch(/--source-clip-id <id> +remix: the clip to remix\n/);
  expect(command.helpInformation()).toMatch(/--remix-strength <n> +remix: how far the remix departs\n/);
  const flags = command
    .parse(["--source-clip-id", "clip", "--remix-strength", "0.5"], { from: "user" })
    .opts();
  for (const value of ["1", "17", "2.5", "two", "1e2", "+8", " 8"])
    expect(() => command.parse(["--remix-bars", value], { from: "user" })).toThrow(
      `argument '${value}' is invalid. It must be a whole number of 2 or more, 16 or less.`,
    );
  const strength = command.parse(["--remix-strength", "-1"], { from: "user" }).opts();
  expect(strength).toMatchObject({ remixStrength: -1 });
  const given = { ...flags, download: true, wait: true };
  expect(await requestFromFlags(REMIX, given, () => process.stdin, INPUTS)).toEqual(
    remix({ source_clip_id: "clip", remix_strength: 0.5 }),
  );
  await expect(requestFromFlags("upload", given, () => process.stdin, INPUTS)).rejects.toThrow(
    "--source-clip-id, --remix-strength does not apply to a clip from audio at a public address.",
  );
});

test("agents have a tool for it", () => {
  const tool = creatingTools(INPUTS).find(({ name }) => name === "make_remix");
  expect(tool).toMatchObject({ title: "Make remix" });
  expect(tool?.description).toContain("a remix of a clip, for 7 credits");
  if (tool === undefined) return;
  expect(z.toJSONSchema(tool.inputSchema)).toMatchObject({
    required: ["order", "source_clip_id"],
    properties: {
      remix_strength: { type: "number", maximum: 1, description: "How far the remix departs." },
      remix_bars: { type: "integer", minimum: 2, maximum: 16, description: "How many bars it repeats." },
    },
  });
  const given = { order: "remix-1", source_clip_id: "clip", remix_strength: 0 };
  expect(tool.requestOf(given)).toEqual(remix({ source_clip_id: "clip", remix_strength: 0 }));
});

test("the dashboard's form has its fields", () => {
  const draft = { model: "provider_a", type: REMIX, mode: "", format: "", outcome: "", fields: {} } as const;
  expect(describedBy(draft, INPUTS)?.kind).toBe("remix");
  expect(
    fieldsOf(draft, INPUTS).map(({ name, rule, text }) => [name, text.label, numberControl(rule)]),
  ).toEqual([
    ["source_clip_id", "Source clip", {}],
    ["remix_strength", "Strength", { type: "number", step: "any", max: 1 }],
    ["remix_bars", "Bars", { type: "number", step: 1, min: 2, max: 16 }],
  ]);
});

test("the options page lists it", () => {
  const tables = requestTables(INPUTS);
  expect(tables).toContain(
    '| a remix of a clip | `provider_a` | `remix` | 7 | `source_clip_id` | `remix_strength`, `remix_bars` | `{ source_clip_id: "clip-9" }` |',
  );
  expect(tables).toContain("| `remix_strength` | number, 1 or less | How far the remix departs. |");
  expect(tables).toContain(
    "| `remix_bars` | whole number, 2 or more, 16 or less | How many bars it repeats. |",
  );
});
