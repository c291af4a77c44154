import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { alias } from "../../vitest.config.js";
import { runVitest } from "../support/run-vitest.js";

/** The number of stack frames that each error message is shown with. */
const framesOf = new Map<string, number>();

/** The error messages of each test in `failing/`. */
const failures = await runVitest(fileURLToPath(new URL("failing", import.meta.url)), {
  include: ["*.ts"],
  alias,
  onError: ({ message, stacks = [] }) => framesOf.set(message, stacks.length),
});

test("a test that breaks a rule fails with the rule, the request and the time", () => {
  expect(failures.get("polls too often")).toEqual([
    expect.stringMatching(
      /^The client broke .*\n- polled_too_often, GET \/api\/v1\/task\/[0-9a-f-]{36} \(music, 2 of 2\), 2026-01-01T00:00:05\.000Z: .+ \(request hasty\)\n.*`breaks\("polled_too_often"\)`\.$/,
    ),
  ]);
});

test("a test that breaks a rule fails even if it resets the emulator afterwards", () => {
  expect(failures.get("polls too often, and resets")).toEqual([
    expect.stringContaining("- polled_too_often, GET /api/v1/task/"),
  ]);
});

test("an error that is found after a test shows no stack frames", () => {
  const found = [...framesOf].filter(([message]) =>
    /broke rules|Declared with|no request matched/.test(message),
  );
  expect(found.length).toBeGreaterThan(3);
  expect(found.filter(([, places]) => places > 0)).toEqual([]);
  expect(framesOf.get("its own failure")).toBeGreaterThan(0);
});

test("a test that declares broken rules fails for every other rule", () => {
  const [message] = failures.get("breaks a rule that it does not declare") ?? [];
  expect(message).toContain("- resubmitted_after_unknown_outcome, POST ");
  expect(message).not.toContain("- polled_too_often");
});

test("a test that declares broken rules fails if it breaks none", () => {
  expect(failures.get("breaks none of the rules that it declares")).toEqual([
    "Declared with `breaks`, but no request broke them: ignored_retry_after, polled_too_often. Remove them from the test.",
  ]);
  expect(failures.get("only declares a rule")).toEqual([
    "Declared with `breaks`, but no request broke them: polled_too_often. Remove them from the test.",
  ]);
});

test("a test that declares an unknown rule fails at once, and with the rules that exist", () => {
  expect(failures.get("declares a rule that does not exist")).toEqual([
    expect.stringMatching(/^`breaks\[0\]` must be one of polled_too_often, .*; got `poll`\.$/),
  ]);
});

test("a failing test also reports the rules that it broke, and not those that it only declared", () => {
  expect(failures.get("fails before it breaks a rule")).toEqual(["its own failure"]);
  expect(failures.get("fails, and breaks a rule")).toEqual([
    "its own failure",
    expect.stringContaining("polled_too_often"),
  ]);
});

test("of two concurrent tests, the one that broke the rule fails", () => {
  expect(failures.get("runs beside a test that breaks a rule")).toEqual([]);
  expect(failures.get("breaks a rule beside another test")).toEqual([
    expect.stringContaining("polled_too_often"),
  ]);
});

test("a test fails if credits are missing after it", () => {
  expect(failures.get("loses credits")).toEqual([expect.stringContaining("credits are accounted for")]);
});

test("a test fails with each unused fault and outcome, and with the requests that it sent", () => {
  expect(failures.get("adds a fault with a wrong path")).toEqual([
    `Unused faults:
- faults.add({"method":"POST","path":"/api/v1/tasks","fault":{"kind":"disconnect","when":"after"}}): no request matched it. After it was added, the test sent POST /api/v1/task, GET /api/v1/task/*
Add a fault before the requests that it is for. Check its \`method\`, \`path\` and \`account_id\`, and the order of the faults. If a fault may stay unused, set its \`probability\`.`,
  ]);
  expect(failures.get("adds an outcome to the other provider")).toEqual([
    `Unused outcomes:
- providers.provider_b.next({"outcome":"failure"}): no task of provider_b was created for it
If an outcome may stay unused, use \`always\`.`,
  ]);
});

test("a failing test does not report unused faults", () => {
  expect(failures.get("fails before its fault is used")).toEqual(["its own failure"]);
});
