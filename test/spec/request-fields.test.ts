import { expect, test } from "vitest";
import { makeResult, type OpenTask, parseInput } from "../../emulator/core/task.js";
import { DESCRIBED_INPUTS, type DescribedInput } from "../../src/contract/input-texts.js";
import { chosenMode, modesOf } from "../../src/contract/inputs.js";
import { findRequestViolation } from "../../src/contract/request-rules.js";
import { REQUESTS } from "./tables/requests/index.js";

// What a new field of `src/contract/inputs.ts` needs elsewhere. Each test lists the fields that lack it, as "kind: field".

const FIELDS = DESCRIBED_INPUTS.flatMap((described) =>
  Object.keys(described.fields).map((field) => ({ described, field })),
);

const titlesOf = (fields: readonly { described: DescribedInput; field: string }[]) =>
  fields.map(({ described, field }) => `${described.kind}: ${field}`);

const ROWS = REQUESTS.map(({ body, expected }) => {
  const { model, task_type: type, input } = Object(body);
  const described = chosenMode(modesOf(DESCRIBED_INPUTS, model, type), Object(input));
  return { body, described, input: Object(input), isAccepted: expected === "accepted" };
});

test("test/spec/tables/requests has an accepted request with each field", () => {
  const accepted = ROWS.filter(({ isAccepted }) => isAccepted);
  const untested = FIELDS.filter(
    ({ described, field }) =>
      !accepted.some((row) => row.described === described && Object.hasOwn(row.input, field)),
  );
  expect(titlesOf(untested)).toEqual([]);
});

test("test/spec/tables/requests has a request that is refused for each field with a rule", () => {
  const refused = ROWS.filter(({ isAccepted }) => !isAccepted).map(({ body, described }) => ({
    described,
    paths: findRequestViolation(body)?.issues.map(({ path }) => path),
  }));
  const untested = FIELDS.filter(({ described, field }) => described.fields[field]?.type !== "any").filter(
    ({ described, field }) =>
      !refused.some((row) => row.described === described && row.paths?.includes(`input.${field}`)),
  );
  expect(titlesOf(untested)).toEqual([]);
});

test("test/spec/tables/requests has each limit of a number, and a number beyond it", () => {
  const limited = FIELDS.flatMap(({ described, field }) => {
    const { minimum, maximum } = described.fields[field] ?? {};
    return [
      ...(minimum === undefined ? [] : [{ described, field, limit: minimum, beyond: -1 }]),
      ...(maximum === undefined ? [] : [{ described, field, limit: maximum, beyond: 1 }]),
    ];
  });
  const untested = limited.filter(({ described, field, limit, beyond }) => {
    const rows = ROWS.filter((row) => row.described === described && typeof row.input[field] === "number");
    const isTested =
      rows.some(({ isAccepted, input }) => isAccepted && input[field] === limit) &&
      rows.some(({ isAccepted, input }) => !isAccepted && Math.sign(input[field] - limit) === beyond);
    return !isTested;
  });
  expect(limited.length).toBeGreaterThan(0);
  expect(untested.map(({ described, field, limit }) => `${described.kind}: ${field} ${limit}`)).toEqual([]);
});

test("a mode reads or ignores the fields of the other modes, but for those that do not apply to it", () => {
  const unknown = DESCRIBED_INPUTS.flatMap((described) => {
    const { model, task_type: type, fields, ignored = [], chosenBy } = described;
    const modes = modesOf(DESCRIBED_INPUTS, model, type);
    const staysChosen = (field: string) =>
      chosenMode(modes, { ...(chosenBy !== undefined && { [chosenBy]: "" }), [field]: "" }) === described;
    return [...new Set(modes.flatMap((mode) => Object.keys(mode.fields)))]
      .filter((field) => !Object.hasOwn(fields, field) && !ignored.includes(field) && staysChosen(field))
      .map((field) => ({ described, field }));
  });
  // Input for `provider_a`, task `music`: n/a.
  expect(titlesOf(unknown)).toEqual(["inspiration: continue_at", "custom: continue_at"]);
});

test("the emulator makes its results from each field, but for those that change nothing it shows", () => {
  const unread = DESCRIBED_INPUTS.flatMap((described) => {
    const read = fieldsReadOf(described);
    return Object.keys(described.fields)
      .filter((field) => !read.has(field))
      .map((field) => ({ described, field }));
  });
  expect(titlesOf(unread)).toEqual([
    "inspiration: negative_tags",
    "inspiration: model_version",
    "custom: negative_tags",
    "custom: model_version",
    "continuation: model_version",
  ]);
});

/** The fields that the emulator reads of an input that has them all. */
function fieldsReadOf({ model, task_type: type, fields, texts }: DescribedInput): Set<string> {
  const read = new Set<string>();
  const all = Object.fromEntries(
    Object.keys(fields).map((name) => [name, texts.fields[name]?.example ?? ""]),
  );
  const input = new Proxy(all, {
    get(target, name: string) {
      read.add(name);
      return target[name];
    },
  });
  const task: OpenTask = {
    id: "task",
    ordinal: 0,
    accountId: "account",
    model,
    type,
    credits: 0,
    input,
    audioFormat: null,
    createdAt: 0,
    plan: { queueMs: 0, workMs: 0, polls: null, end: { outcome: "hang" } },
    reads: 0,
    status: "pending",
  };
  parseInput(task);
  makeResult(1, task, 1, new Set());
  return read;
}
