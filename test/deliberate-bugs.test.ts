import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUGS } from "../tools/simulate/bug-list.js";

// `npm run simulate:bugs` puts these bugs into the sources. It takes minutes, and runs seldom.

test.each(BUGS.map(({ name, file, find }) => [name, file, find]))("fits the sources: %s", (_, file, find) => {
  expect(readFileSync(file, "utf8").split(find)).toHaveLength(2);
});
