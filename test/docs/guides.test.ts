import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { POLICY_FIELDS } from "../../emulator/core/policy-fields.js";
import * as sdk from "../../src/index.js";

const read = (path: string) => readFileSync(path, "utf8");

test("the site lists every guide", () => {
  const { projectDocuments }: { projectDocuments: string[] } = JSON.parse(read("typedoc.json"));
  expect(projectDocuments.filter((path) => path.startsWith("docs/")).sort()).toEqual(
    globSync("docs/*.md").sort(),
  );
});

test("every error class has its row, and every row its class", () => {
  const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const classes = Object.keys(sdk).filter((name) => name.endsWith("Error") && name !== "AsyncMusicError");
  expect([...rows].sort()).toEqual(classes.sort());
});

test("a class that extends another one is named with it, so that it is asked for first", () => {
  const said = [...read("docs/errors.md").matchAll(/`(\w+)` (?:is )?an? `(\w+)`/g)].map(([, name, base]) => [
    name,
    base,
  ]);
  const classes = Object.values(sdk).filter((value) => typeof value === "function");
  const extending = classes
    .map((each) => [each.name, Object.getPrototypeOf(each).name])
    .filter(([, base]) => base.endsWith("Error") && !["AsyncMusicError", "ApiError", "Error"].includes(base));
  expect(extending).toContainEqual(["TaskTimedOutError", "TaskFailedError"]);
  expect(said.sort()).toEqual(extending.sort());
});

test("every choice that the interface leaves open has its row, with its values, the default first", () => {
  const rows = [...read("docs/open-choices.md").matchAll(/^\| `(\w+)` \| (.+?) \|/gm)];
  const shown = Object.fromEntries(
    rows.map(([, name, values = ""]) => [name, [...values.matchAll(/`(.+?)`/g)].map(([, value]) => value)]),
  );
  const fields = Object.entries(POLICY_FIELDS).map(([name, field]) => {
    const others = field.choices.filter((choice) => choice !== field.default);
    return [name, [field.default, ...others].map((value) => JSON.stringify(value))];
  });
  expect(shown).toEqual(Object.fromEntries(fields));
});
