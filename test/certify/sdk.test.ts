import { expect, test } from "vitest";
import { certifyClient } from "../../cli/certify/certification.js";
import { TOPICS } from "../../cli/certify/topics.js";
import { sdkClient } from "./support/sdk-client.js";

test("this SDK passes all scenarios", async () => {
  const verdicts = await certifyClient(sdkClient, TOPICS, {
    clock: "virtual",
    concurrency: 4,
    timeoutMs: 300_000,
    signal: new AbortController().signal,
  });
  const failed = verdicts.filter(({ result }) => result !== "passed");
  expect(failed.map(({ scenario, misstep }) => [scenario.name, misstep?.happened])).toEqual([]);
});
