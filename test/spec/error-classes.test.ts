import { readFileSync } from "node:fs";
import type { AsyncMusic } from "async-music";
import { describe, expect, it } from "vitest";
import { reasonOf } from "../support/rejection.js";
import { refusal } from "../support/responses.js";
import { createWorld } from "../support/world.js";
import { CLASSES_BY_STATUS, CODE_AGAINST_STATUS, ERROR_CLASSES } from "./tables/error-classes.js";
import { ERROR_CODES } from "./tables/errors.js";
import { SAMPLES } from "./tables/samples.js";

const BY_CODE = [...ERROR_CLASSES, ...CODE_AGAINST_STATUS].flatMap(({ statuses, ...row }) =>
  statuses.map((status) => ({ ...row, status })),
);
const SONG = SAMPLES["provider_a music"];
const TASK_ID = "0b9f6f2e-6f0a-4c3e-9d7c-6a1f4f3d2c1b";

describe("the SDK's class of an error response", () => {
  it("has a row for every error code of the interface", () => {
    expect(ERROR_CLASSES.map(({ code }) => code)).toEqual(ERROR_CODES.map(({ code }) => code));
  });

  it("is in the guide, with the status and the code", () => {
    const page = readFileSync("docs/errors.md", "utf8");
    const [, part = ""] = /### Error codes of responses(.*?)\n###/s.exec(page) ?? [];
    const rows = part.split("\n").flatMap((line) => {
      const [, stated = "", codes = "", read] =
        /^\| (\d+|not stated) \| (.*) \| `(\w+)` \|$/.exec(line) ?? [];
      const status = stated === "not stated" ? null : Number(stated);
      return codesIn(codes).map((code) => ({ code, status, read }));
    });
    const readOf = (code: string) => ERROR_CLASSES.find((row) => row.code === code)?.read;
    expect(rows).toEqual(ERROR_CODES.map(({ code, status }) => ({ code, status, read: readOf(code) })));
  });

  it("names its error codes in its docstring, if the code decides before the status", () => {
    const source = readFileSync("src/errors/api-errors.ts", "utf8");
    const [, docstring = ""] =
      /\/\*\*((?:(?!\*\/).)*?)\*\/\s*export class BadRequestError/s.exec(source) ?? [];
    const codes = ERROR_CLASSES.filter(({ read }) => read === "BadRequestError").map(({ code }) => code);
    expect(codesIn(docstring).filter((name) => name.includes("_"))).toEqual(codes);
  });

  const all = [...BY_CODE, ...CLASSES_BY_STATUS.map((row) => ({ ...row, code: "of_a_later_day" }))];

  it.each(all)("$status $code: $read for a read", async ({ code, status, read }) => {
    const { error } = await failing(status, code, ({ tasks }) => tasks.retrieve(TASK_ID));
    expect(error).toMatchObject({ name: read, status, errorCode: code, requestId: "r-1" });
  });

  it.each(all)("$status $code: $post for a POST", async ({ code, status, post }) => {
    const { error, sent } = await failing(status, code, ({ tasks }) => tasks.create(SONG));
    expect(error).toMatchObject({ name: post, status, requestId: "r-1" });
    expect(sent).toHaveLength(1);
  });
});

const codesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code);

async function failing(status: number, code: string, call: (client: AsyncMusic) => Promise<unknown>) {
  const response = () => refusal(status, code, { "X-Request-Id": "r-1" });
  const { client, requests } = createWorld(response, { maxRetries: 0 });
  return { error: await reasonOf(call(client)), sent: requests };
}
