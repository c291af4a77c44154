import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { alias } from "../../vitest.config.js";
import { runVitest } from "../support/run-vitest.js";

/** What became of the tests in `failing/`: what each of them failed with. */
const failures = await runVitest(fileURLToPath(new URL("failing", import.meta.url)), {
  include: ["*.ts"],
  alias,
});

test("a test that breaks a rule fails with the rule, the request and the time", () => {
  expect(failures.get("polls too often")).toEqual([
    expect.stringMatching(
      /^The client broke .*\n- polled_too_often, request hasty, 2026-01-01T00:00:05\.000Z: .+\n.*`breaks\("polled_too_often"\)`\.$/,
    ),
  ]);
  expect(failures.get("sends again what may have been paid for")).toEqual([
    expect.stringMatching(/- resubmitted_after_unknown_outcome, request [0-9a-f-]{36}, 2026-01-01T/),
  ]);
});

test("a test that breaks rules on purpose fails for every other one", () => {
  const [message] = failures.get("breaks another rule than it says") ?? [];
  expect(message).toContain("- resubmitted_after_unknown_outcome, request ");
  expect(message).not.toContain("polled_too_often");
});

test("a test that does not do what it says it does on purpose fails", () => {
  expect(failures.get("breaks none of the rules that it says")).toEqual([
    "The test says that it breaks ignored_retry_after, polled_too_often, and no request did.",
  ]);
});

test("a test that fails by itself is told of what else it did, and not of what it did not come to do", () => {
  expect(failures.get("fails before it breaks the rule that it says")).toEqual(["its own failure"]);
  expect(failures.get("fails, and breaks a rule besides")).toEqual([
    "its own failure",
    expect.stringContaining("polled_too_often"),
  ]);
});

test("of two tests at the same time, the one fails that broke the rule", () => {
  expect(failures.get("does nothing wrong beside a test that does")).toEqual([]);
  expect(failures.get("does wrong beside a test that doesn't")).toEqual([
    expect.stringContaining("polled_too_often"),
  ]);
});

test("a test after which credits are missing fails", () => {
  expect(failures.get("loses credits")).toEqual([expect.stringContaining("credits are accounted for")]);
});
