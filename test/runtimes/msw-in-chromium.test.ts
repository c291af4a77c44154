import { resolve } from "node:path";
import { expect, test } from "vitest";
import { bundle } from "../../tools/runtimes/bundle.js";
import { runInChromium } from "../../tools/runtimes/chromium.js";

test("the contract holds with the handlers of MSW in a service worker of Chromium", async () => {
  const results = await runInChromium(await bundle("page-with-msw", resolve(".reports/msw-in-chromium")));
  const having = (outcome: string) => results.filter((each) => each.outcome === outcome);
  expect(having("failed")).toEqual([]);
  expect(having("left out")).toHaveLength(2);
  expect(having("passed").length).toBeGreaterThan(70);
});
