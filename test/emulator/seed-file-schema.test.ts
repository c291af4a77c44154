import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { createEmulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { seedFileJsonSchema } from "../../tools/documents/seed-file-schema.js";
import { REQUESTS } from "../spec/tables/requests/index.js";
import { seedSong, withTasks } from "./support/seed-files.js";

const schema = seedFileJsonSchema();
const validate = new Ajv2020({ formats: fullFormats, strictTypes: false, strictRequired: false }).compile(
  schema,
);

const read = (file: string) => readFileSync(file, "utf8");
const withTask = (fields: object) => withTasks(seedSong({ status: "success", ...fields }));

function accepts(seedFile: unknown): boolean {
  try {
    createEmulator({ seedFile: seedFile as object });
    return true;
  } catch {
    return false;
  }
}

describe("the JSON Schema of seed files", () => {
  test.each<[string, unknown]>([
    ["an empty file", {}],
    ["the example", JSON.parse(read("examples/testing/world.json"))],
    [
      "the file in the guide",
      JSON.parse(/^```json\n(.*?)^```$/ms.exec(read("docs/seed-files.md"))?.[1] ?? ""),
    ],
    ["an outcome", withTask({ status: "pending", outcome: { outcome: "hang", queue_seconds: 3 } })],
    ["a task that took an hour", withTask({ process_seconds: 3600, clip_ids: ["a", "b"] })],
    ["a failure", withTask({ status: "failure", error_code: "rate_limited", retry_after_seconds: null })],
    ["a fault", { faults: [{ method: "POST", fault: { kind: "status", status: 503, when: "after" } }] }],
    ["a policy and limits", { policy: { late_success: "success" }, limits: { window_seconds: 1 } }],
  ])("accepts %s, and so does the emulator", (_, file) => {
    expect([validate(file), validate.errors, accepts(file)]).toEqual([true, null, true]);
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["an unknown field", { acounts: [] }],
    ["no account", { accounts: [] }],
    ["a time with an offset", { time: "2026-01-01T00:00:00+01:00" }],
    ["a date", { time: "2026-01-01" }],
    ["a fraction of a credit", { accounts: [{ credits: 0.5 }] }],
    ["a key without its prefix", { accounts: [{ keys: [{ key: "live_1" }] }] }],
    ["a key without a value", { accounts: [{ keys: [{ name: "laptop" }] }] }],
    ["an ID that is no UUID", withTask({ task_id: "1" })],
    ["an unknown status", withTask({ status: "done" })],
    ["a task without a status", withTasks(seedSong())],
    ["an error of a success", withTask({ error_code: "rate_limited" })],
    ["clips of a failure", withTask({ status: "failure", clips: 1 })],
    ["an outcome of a finished task", withTask({ outcome: {} })],
    ["a duration of an unfinished task", withTask({ status: "running", process_seconds: 1 })],
    ["a task that took longer than an hour", withTask({ process_seconds: 3600.001 })],
    ["an outcome without a task", withTask({ status: "pending", outcome: { outcome: "reject" } })],
    ["the same clip twice", withTask({ clip_ids: ["a", "a"] })],
    ["a duration without a unit", withTask({ created_ago: "90" })],
    ["two times", withTask({ created_ago: "90s", created_at: "2025-12-01T00:00:00Z" })],
    ["clips and their IDs", withTask({ clips: 1, clip_ids: ["a"] })],
    ["a clip ID with a slash", withTask({ clip_ids: ["a/b"] })],
    ["an unknown field of an outcome", { outcomes: { provider_a: { always: { pols: 1 } } } }],
    [
      "an error of an outcome that is no failure",
      { outcomes: { provider_b: { next: [{ error: "Mine" }] } } },
    ],
    ["an unknown fault", { faults: [{ fault: { kind: "stal" } }] }],
    ["a fault without `when`", { faults: [{ fault: { kind: "disconnect" } }] }],
    ["an unknown policy option", { policy: { late_succes: "success" } }],
    ["a wrong value of a policy option", { policy: { late_success: "never" } }],
    ["a limit of 0 requests", { limits: { requests: 0 } }],
  ])("refuses %s, and so does the emulator", (_, value) => {
    const file = JSON.parse(JSON.stringify(value));
    expect([validate(file), accepts(file)]).toEqual([false, false]);
  });

  test.each(REQUESTS)("knows the requests: $section: $name: $expected", ({ body }) => {
    const file = JSON.parse(JSON.stringify(withTasks({ ...Object(body), status: "failure" })));
    // JSON Schema has no rule for private addresses.
    const isUpload = /^https?:/i.test(Object(Object(body).input).url);
    if (!isUpload || accepts(file)) expect(validate(file)).toBe(accepts(file));
  });

  test("describes every field, except for those of a fault's kinds that explain themselves", () => {
    const undescribed: string[] = [];
    const visit = (part: unknown, path: string) => {
      if (typeof part !== "object" || part === null) return;
      for (const [name, field] of Object.entries(Object(part).properties ?? {}))
        if (
          typeof field === "object" &&
          Object(field).description === undefined &&
          !/\.(if|else|then|allOf)(\.|$)/.test(path)
        )
          undescribed.push(`${path}.${name}`);
      for (const [name, inner] of Object.entries(part)) visit(inner, `${path}.${name}`);
    };
    visit(schema, "");
    expect(undescribed.filter((path) => !/SeedFault.*\.(kind|when|ms)$/.test(path))).toEqual([]);
  });
});
