import { expect, test } from "vitest";
import { runExample } from "./support/run-example.js";

test("the demo creates a song with the built package, and writes its path", () => {
  expect(runExample("examples/demo.ts")).toMatch(/songs\/rain-in-lisbon.*\.mp3\n/);
});
