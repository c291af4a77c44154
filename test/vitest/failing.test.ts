import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { alias } from "../../vitest.config.js";
import { runVitest } from "../support/run-vitest.js";

/** How many places each message is shown with. */
const placesOf = new Map<string, number>();

/** What became of the tests in `failing/`: what each of them failed with. */
const failures = await runVitest(fileURLToPath(new URL("failing", import.meta.url)), {
  include: ["*.ts"],
  alias,
  onError: ({ message, stacks = [] }) => placesOf.set(message, stacks.length),
});

test("a test that breaks a rule fails with the rule, the request and the time", () => {
  expect(failures.get("polls too often")).toEqual([
    expect.stringMatching(
      /^The client broke .*\n- polled_too_often, GET \/api\/v1\/task\/[0-9a-f-]{36} \(music, 2 of 2\), 2026-01-01T00:00:05\.000Z: .+ \(request hasty\)\n.*`breaks\("polled_too_often"\)`\.$/,
    ),
  ]);
  expect(failures.get("sends again what may have been paid for")).toEqual([
    expect.stringMatching(
      /- resubmitted_after_unknown_outcome, POST \/api\/v1\/task \(music, 2 of 2\), 2026-01-01T/,
    ),
  ]);
});

test("a test that breaks a rule fails also where it puts another state in afterwards", () => {
  expect(failures.get("polls too often, and begins anew")).toEqual([
    expect.stringContaining("- polled_too_often, GET /api/v1/task/"),
  ]);
});

test("of many requests, the one that broke a rule and the one before it are told apart as the test knows them", () => {
  const [message] = failures.get("sends one of several again") ?? [];
  const [, line] = message?.split("\n") ?? [];
  expect(line).toMatch(/^- resubmitted_after_unknown_outcome, POST \/api\/v1\/task \(lyrics, 3 of 3\), /);
  expect(line).toContain(": Repeated submission POST /api/v1/task (lyrics, 2 of 3), whose ");
  expect(line).toMatch(/ \(request [0-9a-f-]{36}\)$/);
});

test("what is found when a test is over points at no line that isn't the test's", () => {
  const found = [...placesOf].filter(([message]) =>
    /broke rules|Declared with|no request matched/.test(message),
  );
  expect(found.length).toBeGreaterThan(3);
  expect(found.filter(([, places]) => places > 0)).toEqual([]);
  expect(placesOf.get("its own failure")).toBeGreaterThan(0);
});

test("a test that breaks rules on purpose fails for every other one", () => {
  const [message] = failures.get("breaks another rule than it says") ?? [];
  expect(message).toContain("- resubmitted_after_unknown_outcome, POST ");
  expect(message).not.toContain("polled_too_often");
});

test("a test that does not do what it says it does on purpose fails", () => {
  expect(failures.get("breaks none of the rules that it says")).toEqual([
    "Declared with `breaks`, but no request broke them: ignored_retry_after, polled_too_often. Remove them from the test.",
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

test("a test fails with each fault and each next outcome that it armed for nothing, and with what it asked for", () => {
  expect(failures.get("mistypes the path of a fault")).toEqual([
    `Unused faults or outcomes: no request matched them.
- faults.add({"method":"POST","path":"/api/v1/tasks","fault":{"kind":"disconnect","when":"after"}})
The test sent POST /api/v1/task, GET /api/v1/task/*. Check \`method\` and \`path\`.
If a fault may stay unused, set its \`probability\`; for an outcome, use \`always\`.`,
  ]);
  expect(failures.get("tells the other provider what to do next")).toEqual([
    expect.stringContaining('\n- providers.provider_b.next({"outcome":"failure"})\n'),
  ]);
  const [second] = failures.get("is armed for two tasks and makes one") ?? [];
  expect(second).toContain('next({"queue_seconds":2})');
  expect(second).not.toContain('next({"queue_seconds":1})');
  expect(failures.get("arms a fault and asks for nothing")).toEqual([
    expect.stringContaining("The test sent nothing."),
  ]);
});

test("a test that fails by itself is not told of trouble that had no time to come", () => {
  expect(failures.get("fails before its fault can come")).toEqual(["its own failure"]);
});
