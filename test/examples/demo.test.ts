import { expect, test } from "vitest";
import { runExample } from "./support/run-example.js";

test("the demo makes a song on the built package, and says where it is", () => {
  expect(runExample("examples/demo.ts")).toMatch(/songs\/rain-in-lisbon.*\.mp3\n/);
});
