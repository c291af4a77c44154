import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requestTables } from "../../tools/documents/request-table.js";

const PAGE = "docs/options.md";

/** `npm run docs:write` renews the page. */
test("the options page has the tables of requests", async () => {
  const page = readFileSync(PAGE, "utf8");
  const tables = /^\| Makes [\s\S]*?\n\n[\s\S]*?(?=\n\n)/m;
  expect(page).toMatch(tables);
  await expect(page.replace(tables, () => requestTables())).toMatchFileSnapshot(`../../${PAGE}`);
});
