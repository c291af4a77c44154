import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { getReleaseLine } from "../../tools/release/changelog.js";

test("an entry of the changelog is the text of its changeset, as one list item", () => {
  const summary = "Share a budget.\n\nFor fleets,\nlarge ones too.\n";
  expect(getReleaseLine({ summary })).toBe("- Share a budget.\n\n  For fleets,\n  large ones too.");
});

test.each(globSync(".changeset/*.md", { exclude: [".changeset/README.md"] }))(
  "%s has one version step and a text for users",
  (path) => {
    const [, head, summary = ""] = readFileSync(path, "utf8").split(/^---\n/m);
    expect(head).toMatch(/^"async-music": (?:major|minor|patch)\n$/);
    expect(summary.trim()).toMatch(/^[A-Z][\s\S]*\.$/);
  },
);

test("the changelog begins with the version of the package", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(readFileSync("CHANGELOG.md", "utf8")).toMatch(new RegExp(`^# async-music\n\n## ${version}\n`));
});
