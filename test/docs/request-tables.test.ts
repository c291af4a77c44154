import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requestTables } from "../../tools/documents/request-table.js";

/** `npm run docs:write` renews the pages. */
test.each(["docs/options.md", "skills/async-music/SKILL.md"])(
  "%s has the tables of requests",
  async (path) => {
    const page = readFileSync(path, "utf8");
    const tables = /^\| Makes [\s\S]*?\n\n[\s\S]*?(?=\n\n)/m;
    expect(page).toMatch(tables);
    await expect(page.replace(tables, () => requestTables())).toMatchFileSnapshot(`../../${path}`);
  },
);
